// What the pages about redirects show is in their addresses.
import { oneOf, phrase, whole } from "../../parts/address";

export const kinds = ["exact", "pattern", "prefix"] as const;
export const states = ["on", "off", "shadowed", "unused"] as const;

export interface RuleSearch {
  q?: string | undefined;
  kind?: (typeof kinds)[number] | undefined;
  state?: (typeof states)[number] | undefined;
  page?: number | undefined;
}

export const ruleSearch = (raw: Record<string, unknown>): RuleSearch => ({ q: phrase(raw.q), kind: oneOf(kinds, raw.kind), state: oneOf(states, raw.state), page: whole(raw.page) });

export interface MissSearch {
  q?: string | undefined;
  hidden?: true | undefined;
  min?: number | undefined;
  page?: number | undefined;
}

export const missSearch = (raw: Record<string, unknown>): MissSearch => ({ q: phrase(raw.q), hidden: raw.hidden === true ? true : undefined, min: whole(raw.min), page: whole(raw.page) });
