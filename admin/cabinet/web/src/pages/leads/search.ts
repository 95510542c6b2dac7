// What the inbox shows is in its address, so that a link shows the same.
import { oneOf, whole } from "../../parts/address";

export const statuses = ["new", "seen", "done", "spam"] as const;
export type Status = (typeof statuses)[number];

export interface LeadSearch {
  form?: number;
  status?: Exclude<Status, "new"> | "any"; // else new ones
  page?: number;
}

export function leadSearch(raw: Record<string, unknown>): LeadSearch {
  return { form: whole(raw.form), status: oneOf(["seen", "done", "spam", "any"], raw.status), page: whole(raw.page) };
}

export const pageSize = 50;

export function queryOf(s: LeadSearch) {
  return {
    "filter.form_id": s.form === undefined ? undefined : String(s.form),
    "filter.status": s.status === "any" ? undefined : (s.status ?? ("new" as const)),
    "page.number": s.page ?? 1,
    "page.limit": pageSize,
  };
}
