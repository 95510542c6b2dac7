// What a person drops or chooses, as files with their paths in the website.

import { ignoreFiles, ignoring, isNoContent, mostIgnore } from "./ignore";

export interface Picked {
  path: string;
  file: File;
}

export interface Folder {
  files: Picked[];
  left: string[]; // paths that are left out
  wrong?: "tooManyFiles" | "ignoreTooLong"; // why nothing was read
}

// mostRead bounds how many files of a folder are read, with those that are left out.
const mostRead = 20_000;

const refused = (wrong: Folder["wrong"]): Folder => ({ files: [], left: [], wrong });

// folderOf makes a website of files, as far as they are not left out.
function folderOf(list: Picked[], leftOut: (path: string) => boolean): Folder {
  const content = list.filter((f) => !isNoContent(f.path));
  return { files: content.filter((f) => !leftOut(f.path)), left: content.filter((f) => leftOut(f.path)).map((f) => f.path) };
}

// chosen are the files of a field, of a folder or of single files. One outer folder is taken off, as of a
// ZIP.
export async function chosen(files: FileList | File[]): Promise<Folder> {
  if (files.length > mostRead) return refused("tooManyFiles");
  const list = [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const outer = list[0]?.path.split("/", 1)[0] + "/";
  const inside = list.every((f) => f.path.startsWith(outer)) ? list.map((f) => ({ ...f, path: f.path.slice(outer.length) })) : list;
  const ignore = ignoreFiles.map((name) => inside.find((f) => f.path === name)?.file).find((f) => f !== undefined);
  if ((ignore?.size ?? 0) > mostIgnore) return refused("ignoreTooLong");
  return folderOf(inside, ignoring((await ignore?.text()) ?? ""));
}

const fileOf = (entry: FileSystemEntry) => new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));

async function entriesOf(folder: FileSystemEntry): Promise<FileSystemEntry[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const all: FileSystemEntry[] = [];
  while (all.length <= mostRead) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)); // at most 100 a time
    if (some.length === 0) break;
    all.push(...some);
  }
  return all;
}

// dropped reads what was dropped: files, and folders with everything in them that is not left out. A
// folder that was dropped alone is the website.
export async function dropped(data: DataTransfer): Promise<Folder> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((e) => e !== null);
  if (entries.length === 0) return chosen(data.files);
  const [only] = entries;
  const root = entries.length === 1 && only?.isDirectory ? await entriesOf(only) : entries;
  const named = ignoreFiles.map((name) => root.find((e) => e.isFile && e.name === name)).find((e) => e !== undefined);
  const ignore = named && (await fileOf(named));
  if ((ignore?.size ?? 0) > mostIgnore) return refused("ignoreTooLong");
  const leftOut = ignoring((await ignore?.text()) ?? "");
  const list: Picked[] = [];
  const folders: string[] = []; // that are left out
  async function walk(inside: FileSystemEntry[], above: string): Promise<void> {
    for (const entry of inside) {
      const path = above + entry.name;
      if (list.length > mostRead) return;
      if (entry.isFile) list.push({ path, file: await fileOf(entry) });
      else if (isNoContent(path)) continue;
      else if (leftOut(path + "/")) folders.push(path + "/");
      else await walk(await entriesOf(entry), path + "/");
    }
  }
  await walk(root, "");
  if (list.length > mostRead) return refused("tooManyFiles");
  const read = folderOf(list, leftOut);
  return { ...read, left: [...folders, ...read.left] };
}
