// The calls of the pages about products.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { queryOf, type ProductSearch } from "./search";

export type ItemInput = Schemas["CatalogWholeItemInput"];

export const productsQuery = (shop: string, search: ProductSearch) =>
  queryOptions({
    queryKey: [shop, "products", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/products", { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const productQuery = (shop: string, id: number) =>
  queryOptions({
    queryKey: [shop, "product", id],
    queryFn: async () => (await answer(api.GET("/products/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const movementsQuery = (shop: string, id: number) =>
  queryOptions({
    queryKey: [shop, "movements", id],
    queryFn: async () => (await answer(api.GET("/products/{id}/stock/history", { params: { path: { id }, query: { limit: 100 } } }))).result,
  });

export const attributesQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "attributes"],
    queryFn: async () => (await answer(api.GET("/attributes", {}))).result,
    staleTime: 60_000,
  });

// groupsQuery reads the groups of linked products, or with an id those of one product.
export const groupsQuery = (shop: string, id?: number) =>
  queryOptions({
    queryKey: [shop, "groups", id ?? "all"],
    queryFn: async () => (await answer(api.GET("/product-groups", { params: { query: { product_id: id, "page.number": 1, "page.limit": 100 } } }))).result,
  });

// adsQuery reads whether feeds list a product.
export const adsQuery = (shop: string, id: number) =>
  queryOptions({
    queryKey: [shop, "ads", id],
    queryFn: async () => (await answer(api.GET("/products/{id}/ad-participation", { params: { path: { id } } }))).mode,
  });

// changeMany edits many products. With dryRun it answers what would happen and writes nothing.
export async function changeMany(ids: number[], item: ItemInput, dryRun: boolean) {
  return answer(api.PATCH("/products/batch", { body: { ids, item, dry_run: dryRun } }));
}
