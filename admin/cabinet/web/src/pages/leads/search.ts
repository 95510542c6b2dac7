// What the inbox shows is in its address, so that a link shows the same.
import { oneOf, whole } from "../../parts/address";

export const statuses = ["new", "seen", "done", "spam"] as const;
export type Status = (typeof statuses)[number];

const shown = ["seen", "done", "spam", "not_spam", "any"] as const;
type Shown = (typeof shown)[number];

// shownOf reads what to show; undefined: new ones.
export const shownOf = (raw: unknown): Shown | undefined => oneOf(shown, raw);

export interface LeadSearch {
  form?: number;
  status?: Shown; // else new ones
  page?: number;
}

export function leadSearch(raw: Record<string, unknown>): LeadSearch {
  return { form: whole(raw.form), status: shownOf(raw.status), page: whole(raw.page) };
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
