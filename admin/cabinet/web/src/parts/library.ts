// The media library: files, and the folders that they are in.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../api/client";

export type MediaFile = Schemas["MediaFileView"];
export type Folder = Schemas["MediaCollectionView"];
export type Kind = MediaFile["file_type"];
export const kinds: Kind[] = ["image", "video", "audio", "model", "file"];

export interface FileSearch {
  q?: string;
  kind?: Kind;
  folder?: string;
  page?: number;
}

export const filesPage = 48;

export function filesOf(s: FileSearch) {
  return { "filter.query": s.q, "filter.file_type": s.kind, "filter.collection_id": s.folder, "page.number": s.page ?? 1, "page.limit": filesPage };
}

export const filesQuery = (shop: string, search: FileSearch) =>
  queryOptions({
    queryKey: [shop, "files", search],
    queryFn: ({ signal }) => answer(api.GET("/v1/storages/files", { params: { query: filesOf(search) }, signal })),
    placeholderData: keepPreviousData,
  });

export const fileQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "file", id],
    queryFn: async () => (await answer(api.GET("/v1/storages/files/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const foldersQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "folders"],
    queryFn: async () => (await answer(api.GET("/v1/storages/collections"))).result,
    staleTime: 60_000,
  });

// above lists a folder and those that it is in, the outermost first.
export function above(folders: Folder[], id: string | undefined): Folder[] {
  const path: Folder[] = [];
  for (let at = folders.find((f) => f.id === id); at && !path.includes(at); at = folders.find((f) => f.id === at!.parent_id)) path.unshift(at);
  return path;
}

// folderOptions lists folders by their path, without one and what is in it.
export function folderOptions(folders: Folder[], without?: string) {
  return folders
    .map((f) => ({ value: f.id, path: above(folders, f.id) }))
    .filter(({ path }) => !path.some((f) => f.id === without))
    .map(({ value, path }) => ({ value, label: path.map((f) => f.name).join(" / ") }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

export async function describe(file: MediaFile, alt: string) {
  return (await answer(api.PUT("/v1/storages/files/{id}", { params: { path: { id: file.id } }, body: { item: { alt }, expected_updated_at: file.updated_at } }))).result;
}
