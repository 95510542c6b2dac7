// The calls of the pages about attributes and groups.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";

export type AttributeView = Schemas["CatalogAttributeView"];
export type GroupView = Schemas["CatalogGroupView"];

const form = { staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }; // it must not change below the person's hands

export const attributesQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "attributes"], queryFn: async ({ signal }) => (await answer(api.GET("/attributes", { signal }))).result });

export const attributeQuery = (shop: string, id: number) =>
  queryOptions({ queryKey: [shop, "attribute", id], queryFn: async () => (await answer(api.GET("/attributes/{id}", { params: { path: { id } } }))).result, ...form });

export const groupPage = 50;

export const groupsQuery = (shop: string, page: number) =>
  queryOptions({
    queryKey: [shop, "groups", page],
    queryFn: async ({ signal }) => answer(api.GET("/product-groups", { params: { query: { "page.number": page, "page.limit": groupPage } }, signal })),
  });

export const groupQuery = (shop: string, id: string) =>
  queryOptions({ queryKey: [shop, "group", id], queryFn: async () => (await answer(api.GET("/product-groups/{id}", { params: { path: { id } } }))).result, ...form });
