// What the list of promotions shows is in its address, so that a link shows the same.
import { oneOf, phrase, whole } from "../../parts/address";
import type { Promotion } from "./data";

export type Kind = Promotion["kind"];
export const kinds: Kind[] = ["discount", "order_discount", "coupon", "gift", "personal_coupon"];

export interface PromotionSearch {
  q?: string;
  kind?: Kind;
  active?: "on" | "off";
  page?: number;
}

export function promotionSearch(raw: Record<string, unknown>): PromotionSearch {
  return { q: phrase(raw.q), kind: oneOf(kinds, raw.kind), active: oneOf(["on", "off"], raw.active), page: whole(raw.page) };
}

export const pageSize = 50;

export function queryOf(s: PromotionSearch) {
  return {
    "filter.query": s.q,
    "filter.kind": s.kind,
    "filter.active": s.active && s.active === "on",
    "page.number": s.page ?? 1,
    "page.limit": pageSize,
  };
}

export type State = "running" | "planned" | "ended" | "usedUp" | "off";

// stateOf says whether a promotion counts at a moment, and why not.
export function stateOf(p: Promotion, now = Date.now()): State {
  if (!p.active) return "off";
  if (p.ends_at && Date.parse(p.ends_at) <= now) return "ended";
  if (p.limits.total !== null && p.used >= p.limits.total) return "usedUp";
  if (p.limits.budget !== null && p.spent >= p.limits.budget) return "usedUp";
  return p.starts_at && Date.parse(p.starts_at) > now ? "planned" : "running";
}
