// What the queue shows is in its address, so that a link shows the same.
import { oneOf, whole } from "../../parts/address";

export const statuses = ["pending", "approved", "rejected"] as const;
export type Status = (typeof statuses)[number];

export interface ReviewSearch {
  kind?: "questions"; // else reviews
  status?: Exclude<Status, "pending"> | "any"; // else those that wait
  product?: number;
  page?: number;
}

export function reviewSearch(raw: Record<string, unknown>): ReviewSearch {
  return { kind: oneOf(["questions"], raw.kind), status: oneOf(["approved", "rejected", "any"], raw.status), product: whole(raw.product), page: whole(raw.page) };
}

export const pageSize = 20;

export function queryOf(s: ReviewSearch) {
  return {
    "filter.status": s.status === "any" ? undefined : (s.status ?? ("pending" as const)),
    "filter.product_id": s.product,
    "page.number": s.page ?? 1,
    "page.limit": pageSize,
  };
}
