// What the list of products shows is in its address, so that a link shows the same.
import type { Schemas } from "../../api/client";

export type Stock = "in" | "low" | "out";
export type Sort = "newest" | "name" | "price";

export interface ProductSearch {
  q?: string;
  section?: number;
  stock?: Stock;
  state?: "published" | "hidden" | "deleted";
  sort?: Sort;
  page?: number;
}

const oneOf = <T extends string>(values: readonly T[], v: unknown): T | undefined => values.find((x) => x === v);
const whole = (v: unknown): number | undefined => (Number.isInteger(Number(v)) && Number(v) > 0 ? Number(v) : undefined);

export function productSearch(raw: Record<string, unknown>): ProductSearch {
  return {
    q: typeof raw.q === "string" || typeof raw.q === "number" ? String(raw.q).slice(0, 200) || undefined : undefined,
    section: whole(raw.section),
    stock: oneOf(["in", "low", "out"], raw.stock),
    state: oneOf(["published", "hidden", "deleted"], raw.state),
    sort: oneOf(["newest", "name", "price"], raw.sort),
    page: whole(raw.page),
  };
}

export const pageSize = 50;

// queryOf is the query of GET /products for a search.
export function queryOf(s: ProductSearch) {
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
    "page.limit": pageSize,
  };
}

// addressOf writes a path with its query, leaving out what is not set.
export function addressOf(path: string, query: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text ? path + "?" + text : path;
}

export type Product = Schemas["CatalogProductList"]["items"][number];
