// What the pages of the team show is in their addresses.
import { phrase, whole } from "../../parts/address";
import { startOfDay } from "../../parts/dates";

export interface TeamSearch {
  q?: string;
  page?: number;
}

export const teamSearch = (raw: Record<string, unknown>): TeamSearch => ({ q: phrase(raw.q), page: whole(raw.page) });

export interface AuditSearch {
  person?: number;
  key?: number;
  path?: string; // as /products/{id}
  since?: string; // a day such as 2026-11-30
  page?: number;
}

export const auditSearch = (raw: Record<string, unknown>): AuditSearch => ({
  person: whole(raw.person),
  key: whole(raw.key),
  path: phrase(raw.path),
  since: typeof raw.since === "string" && /^\d{4}-\d\d-\d\d$/.test(raw.since) ? raw.since : undefined,
  page: whole(raw.page),
});

export const pageSize = 50;

// queryOf is the query of GET /audit for a search; the day is one of the shop's time zone.
export const queryOf = (s: AuditSearch, zone: string) => ({
  "filter.user_id": s.person,
  "filter.key_id": s.key ? String(s.key) : undefined,
  "filter.path": s.path,
  "filter.since": startOfDay(s.since, zone),
  "page.number": s.page ?? 1,
  "page.limit": pageSize,
});
