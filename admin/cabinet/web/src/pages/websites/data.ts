// What the pages about uploaded websites read.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { treeQuery } from "../../parts/sections";
import { calls, type Kind, type Limits, type Report } from "./kinds";

export type Document = Schemas["SiteDocumentDetails"];

export const documentsQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "websites", "documents"], queryFn: async ({ signal }) => (await answer(api.GET("/html-documents", { signal }))).result });

export const layoutsQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "websites", "layouts"], queryFn: async ({ signal }) => (await answer(api.GET("/content-blocks", { signal }))).result.filter((b) => b.group_type === "theme") });

export const foldersQuery = (shop: string) => ({ ...treeQuery(shop), select: (list: Awaited<ReturnType<NonNullable<ReturnType<typeof treeQuery>["queryFn"]>>>) => list.filter((s) => s.type === "site" && !s.is_deleted) });

// Website is what all kinds have beside their releases.
export interface Website {
  active: string; // "0": no release is live
  limits: Limits;
  base: string; // address at which its files are served; empty: nowhere yet
  document?: Document;
  folder?: Schemas["SiteFolderView"];
  layout?: Schemas["SiteThemeSite"];
}

const readers: Record<Kind, (id: string) => Promise<Website>> = {
  async documents(id) {
    const { result: document } = await answer(api.GET("/html-documents/{id}", { params: { path: { id } } }));
    return { active: document.active_release_id, limits: document.limits, base: document.source.url, document };
  },
  async folders(id) {
    const { result: folder } = await answer(api.GET("/site-folders/{id}", { params: { path: { id } } }));
    return { active: folder.active_release_id, limits: folder.limits, base: folder.path, folder };
  },
  async layouts(id) {
    const { result: layout } = await answer(api.GET("/themes/{id}/site", { params: { path: { id } } }));
    return { active: layout.active_release_id, limits: layout.limits, base: layout.base, layout };
  },
};

export const websiteKey = (shop: string, kind: Kind, id: string) => [shop, "websites", kind, id];

export const websiteQuery = (shop: string, kind: Kind, id: string) => queryOptions({ queryKey: websiteKey(shop, kind, id), queryFn: () => readers[kind](id), staleTime: 0 });

export const releasesQuery = (shop: string, kind: Kind, id: string) =>
  queryOptions({ queryKey: [...websiteKey(shop, kind, id), "releases"], queryFn: async () => (await calls[kind].releases(id)).result, staleTime: 0 });

export const releaseQuery = (shop: string, kind: Kind, id: string, release: string) =>
  queryOptions({ queryKey: [...websiteKey(shop, kind, id), "release", release], queryFn: async () => (await calls[kind].release(id, release)).result });

// reportQuery is what publishing would find now. A release never changes, but what it refers to may.
export const reportQuery = (shop: string, kind: Kind, id: string, release: string) =>
  queryOptions({ queryKey: [...websiteKey(shop, kind, id), "report", release], queryFn: async (): Promise<Report> => (await calls[kind].validate(id, release)).result, staleTime: 60_000 });

export const fileQuery = (shop: string, kind: Kind, id: string, release: string, path: string) =>
  queryOptions({ queryKey: [...websiteKey(shop, kind, id), "file", release, path], queryFn: () => calls[kind].file(id, release, path), staleTime: Infinity, retry: false });

export const changesQuery = (shop: string, kind: Kind, id: string, from: string, to: string) =>
  queryOptions({ queryKey: [...websiteKey(shop, kind, id), "changes", from, to], queryFn: async () => (await calls[kind].changes(id, from, to)).result, staleTime: Infinity });

const makers: Record<Kind, (name: string) => Promise<string>> = {
  documents: async (name) => (await answer(api.POST("/html-documents", { body: { item: { name, level: 3 } } }))).result.id,
  folders: async (name) => String((await answer(api.POST("/categories", { body: { item: { name, type: "site" } } }))).result.id),
  layouts: async (name) => String((await answer(api.POST("/content-blocks", { body: { item: { name, group_type: "theme" } } }))).result.id),
};

// make makes a website without files and returns its id.
export const make = (kind: Kind, name: string) => makers[kind](name);

export const rename = (document: Document, name: string) => answer(api.PUT("/html-documents/{id}", { params: { path: { id: document.id } }, body: { item: { name }, expected_updated_at: document.updated_at } }));
export const removeDocument = (id: string) => answer(api.DELETE("/html-documents/{id}", { params: { path: { id } } }));
