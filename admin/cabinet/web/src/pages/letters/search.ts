// What the list of sent letters shows is in its address.
import { oneOf, phrase, whole } from "../../parts/address";

export const states = ["queued", "sent", "failed"] as const;

export interface LetterSearch {
  state?: (typeof states)[number];
  name?: string;
  page?: number;
}

export function letterSearch(raw: Record<string, unknown>): LetterSearch {
  return { state: oneOf(states, raw.state), name: phrase(raw.name, 64), page: whole(raw.page) };
}

export const pageSize = 20;

export function queryOf(s: LetterSearch) {
  return { "filter.state": s.state, "filter.name": s.name, "page.number": s.page ?? 1, "page.limit": pageSize };
}
