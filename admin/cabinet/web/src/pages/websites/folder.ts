// What a person drops or chooses, as files with their paths in the website.

export interface Picked {
  path: string;
  file: File;
}

export interface Folder {
  files: Picked[];
  left: string[]; // paths that are left out
  more: boolean; // there are more files than anybody may publish: they were not read
}

// mostRead bounds how many files of a folder are read, with those that are left out.
const mostRead = 20_000;

// leftOut is what folders have that no website needs: the patterns that apply to a ZIP without an
// ignore file. In a pattern a star is any part of a name, and a slash at its end means a folder.
const leftOut = [".*", "node_modules/", "previews*/", "originals/", "README*", "*.md", "qa.mjs", "*.log"];
const patterns = leftOut.map((p) => ({ folder: p.endsWith("/"), name: new RegExp(`^${p.replace("/", "").replaceAll(".", "\\.").replaceAll("*", ".*")}$`) }));

function isLeftOut(path: string): boolean {
  const names = path.split("/");
  return names.some((name, i) => patterns.some((p) => p.name.test(name) && (!p.folder || i < names.length - 1)));
}

// folderOf makes a website of files: one outer folder is taken off, as of a ZIP.
export function folderOf(list: Picked[], more = false): Folder {
  const outer = list[0]?.path.split("/", 1)[0] + "/";
  const all = list.every((f) => f.path.startsWith(outer)) ? list.map((f) => ({ ...f, path: f.path.slice(outer.length) })) : list;
  return { files: all.filter((f) => !isLeftOut(f.path)), left: all.filter((f) => isLeftOut(f.path)).map((f) => f.path), more };
}

// chosen are the files of a field, of a folder or of single files.
export const chosen = (files: FileList | File[]): Folder => folderOf([...files].slice(0, mostRead).map((file) => ({ path: file.webkitRelativePath || file.name, file })), files.length > mostRead);

// dropped reads what was dropped: files, and folders with everything in them.
export async function dropped(data: DataTransfer): Promise<Folder> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((e) => e !== null);
  const list: Picked[] = [];
  let more = false;
  async function walk(entry: FileSystemEntry): Promise<void> {
    if (list.length >= mostRead) {
      more = true;
    } else if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      list.push({ path: entry.fullPath.replace(/^\//, ""), file });
    } else {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)); // at most 100 a time
        if (some.length === 0 || more) break;
        for (const e of some) if (!patterns.some((p) => p.folder && e.isDirectory && p.name.test(e.name))) await walk(e);
      }
    }
  }
  for (const entry of entries) await walk(entry);
  return entries.length > 0 ? folderOf(list, more) : chosen(data.files);
}
