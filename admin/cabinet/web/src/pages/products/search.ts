// What the list of products shows is in its address, so that a link shows the same.
import type { Schemas } from "../../api/client";
import { oneOf, phrase, whole } from "../../parts/address";

export type Stock = "in" | "low" | "out";
export type Sort = "newest" | "name" | "price";

export interface ProductSearch {
  q?: string;
  section?: number;
  stock?: Stock;
  state?: "published" | "hidden" | "deleted";
  sort?: Sort;
  page?: number;
  view?: "grid";
}

export function productSearch(raw: Record<string, unknown>): ProductSearch {
  return {
    q: phrase(raw.q),
    section: whole(raw.section),
    stock: oneOf(["in", "low", "out"], raw.stock),
    state: oneOf(["published", "hidden", "deleted"], raw.state),
    sort: oneOf(["newest", "name", "price"], raw.sort),
    page: whole(raw.page),
    view: oneOf(["grid"], raw.view),
  };
}

export const pageSize = 50;

// queryOf is the query of GET /products for a search.
export function queryOf(s: ProductSearch, limit = pageSize) {
  return {
    "filter.query": s.q,
    "filter.category_id": s.section,
    "filter.include_subtree": s.section ? true : undefined,
    "filter.stock": s.stock,
    "filter.is_published": s.state === "published" ? true : s.state === "hidden" ? false : undefined,
    "filter.is_deleted": s.state === "deleted" ? true : undefined,
    "sort.field": s.sort === "name" ? ("name" as const) : s.sort === "price" ? ("price" as const) : s.q ? undefined : ("created_at" as const),
    "sort.order": s.sort === "name" || s.sort === "price" ? ("asc" as const) : s.q ? undefined : ("desc" as const),
    "page.number": s.page ?? 1,
    "page.limit": limit,
  };
}

export type Product = Schemas["CatalogProductList"]["items"][number];
