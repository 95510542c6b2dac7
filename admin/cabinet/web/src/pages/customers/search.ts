// What the list of customers shows is in its address, so that a link shows the same.
import { oneOf, phrase, whole } from "../../parts/address";

export const sorts = ["created_at", "last_order_at", "orders", "spent", "name"] as const;

export interface CustomerSearch {
  q?: string;
  group?: number;
  sort?: (typeof sorts)[number];
  order?: "asc" | "desc"; // other than that of the sort
  page?: number;
}

export function customerSearch(raw: Record<string, unknown>): CustomerSearch {
  return { q: phrase(raw.q), group: whole(raw.group), sort: oneOf(sorts, raw.sort), order: oneOf(["asc", "desc"], raw.order), page: whole(raw.page) };
}

export const pageSize = 50;

export function queryOf(s: CustomerSearch) {
  return {
    "filter.query": s.q,
    "filter.group_id": s.group === undefined ? undefined : String(s.group),
    sort: s.sort,
    "sort.order": s.order,
    "page.number": s.page ?? 1,
    "page.limit": pageSize,
  };
}

// reversed is the order that the list has after its direction was turned round.
export function reversed({ sort, order }: CustomerSearch): CustomerSearch["order"] {
  if (order) return undefined;
  return sort === "name" ? "desc" : "asc";
}
