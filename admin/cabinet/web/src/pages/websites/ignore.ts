// Which files of a folder are left out, as for a ZIP (compile/release, Ignore).

// ignoreFiles are the names of the ignore file at the root of a folder: the first that exists is read.
export const ignoreFiles = [".vitrineignore", ".vizenignore"];

// mostIgnore is the maximum size of an ignore file in bytes.
export const mostIgnore = 16 * 1024;

// defaults apply without an ignore file, or without patterns in it.
const defaults = ".*\nnode_modules/\npreviews*/\noriginals/\nREADME*\n*.md\nqa.mjs\n*.log";

interface Pattern {
  globs: string[]; // one for each name of a path
  rooted: boolean;
  folder: boolean;
}

function patterns(text: string): Pattern[] {
  const list: Pattern[] = [];
  for (const written of text.replace(/^\ufeff/, "").split("\n")) {
    const line = written.trim();
    const name = line.replace(/^\/+|\/+$/g, "");
    if (name === "" || line.startsWith("#")) continue;
    list.push({ globs: name.split("/"), rooted: line.startsWith("/") || name.includes("/"), folder: line.endsWith("/") });
  }
  return list;
}

// ignoring returns whether a path is left out, itself or with a folder that it is in. A slash at its end
// marks a folder.
export function ignoring(text: string): (path: string) => boolean {
  let list = patterns(text);
  if (list.length === 0) list = patterns(defaults);
  return (path) => {
    const names = path.replace(/^\/+|\/+$/g, "").split("/");
    return list.some((p) => matches(p, names, path.endsWith("/")));
  };
}

function matches(p: Pattern, names: string[], folder: boolean): boolean {
  const last = names.length - p.globs.length;
  for (let i = 0; i <= last && !(p.rooted && i > 0); i++) {
    if (p.folder && i === last && !folder) return false;
    if (p.globs.every((glob, n) => globs([...glob], [...(names[i + n] ?? "")]))) return true;
  }
  return false;
}

// globs matches a whole name: * is any run of characters, ? one. After a mismatch only the last star
// takes more, which is enough and bounds the work.
function globs(pattern: string[], name: string[]): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let mark = 0;
  while (n < name.length) {
    if (pattern[p] === "*") {
      star = p++;
      mark = n;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return pattern.slice(p).every((c) => c === "*");
}

const metadata = ["__MACOSX", ".DS_Store", ".AppleDouble", ".Spotlight-V100", ".Trashes", ".fseventsd", "Icon\r", "Thumbs.db", "ehthumbs.db", "desktop.ini", ".git", ".svn", ".hg"];

// isNoContent reports what an ignore file cannot include: the files that operating systems and version
// control create, and the ignore file.
export const isNoContent = (path: string) => path.split("/").some((name) => metadata.includes(name) || name.startsWith("._")) || ignoreFiles.includes(path.split("/").at(-1) ?? "");
