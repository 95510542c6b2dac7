// The calls of the pages about site files.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";

export type SiteFile = Schemas["SiteSiteFileView"];
export type FullFile = Schemas["SiteFullFileView"];
export type Preview = Schemas["SitePreviewAnswer"];
export type Build = Schemas["SiteBuildView"];

export const filesQuery = (shop: string, q: string | undefined) =>
  queryOptions({ queryKey: [shop, "site-files", q], queryFn: async ({ signal }) => (await answer(api.GET("/site-files", { params: { query: { q } }, signal }))).items });

export const fileQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "site-file", id],
    queryFn: () => answer(api.GET("/site-files/{id}", { params: { path: { id } } })),
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const templatesQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "site-file-templates"], queryFn: async ({ signal }) => (await answer(api.GET("/site-files/templates", { signal }))).items, staleTime: Infinity });

// problems counts what the latest build found.
export const problems = (b: Build | null) => (b ? (b.errors ?? []).length + (b.warnings ?? []).length : 0);
