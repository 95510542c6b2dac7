// The fields of the form of a rule.
import { Refusal } from "../../api/client";
import type { Rule, RuleItem } from "./data";

const blank = {
  from_path: "",
  to_target: "",
  kind: "" as "" | "pattern" | "prefix", // empty: by the address
  external: false,
  code: "301",
  enabled: true,
  override_live: false,
  drop_query: false,
  query_match: "",
  note: "",
};

export type Values = typeof blank;
export const empty: Values = blank;

// A field that the API gets later does not compile until the form has it too.
true satisfies Exclude<keyof RuleItem, keyof Values> extends never ? true : false;

// ambiguous reports whether an address can be both a mask and everything below.
export const ambiguous = (from: string) => /^[^*]*\/\*$/.test(from.trim());
// starred reports whether a rule is for many addresses, which take no condition.
export const starred = (from: string) => from.includes("*");
export const absolute = (to: string) => /^https?:\/\//i.test(to.trim());

export const valuesOf = (r: Rule): Values => ({
  from_path: r.from_path,
  to_target: r.to_target,
  kind: r.kind === "exact" ? "" : r.kind,
  external: r.external,
  code: String(r.code),
  enabled: r.enabled,
  override_live: r.override_live,
  drop_query: r.drop_query,
  query_match: r.query_match,
  note: r.note,
});

export function itemOf(v: Values): RuleItem {
  return {
    ...(ambiguous(v.from_path) && v.kind && { kind: v.kind }),
    from_path: v.from_path.trim(),
    to_target: v.to_target.trim(),
    external: v.external && absolute(v.to_target),
    code: Number(v.code),
    enabled: v.enabled,
    override_live: v.override_live,
    drop_query: v.drop_query,
    query_match: starred(v.from_path) ? "" : v.query_match.trim(),
    note: v.note,
  };
}

export function fieldAt(place: string): keyof Values | undefined {
  const name = place.split(".").at(-1) ?? "";
  return name in blank ? (name as keyof Values) : undefined;
}

// Circle is a chain of addresses that never ends, or that is too long.
export interface Circle {
  code: string;
  chain: string[];
  rules: string[];
}

// circleOf reads the chain of a refusal.
export function circleOf(error: unknown): Circle | undefined {
  if (!(error instanceof Refusal) || !Array.isArray(error.body.chain)) return undefined;
  return { code: error.code, chain: error.body.chain.map(String), rules: Array.isArray(error.body.rules) ? error.body.rules.map(String) : [] };
}

// placed gives a refusal of the whole rule a place in the form.
export function placed(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.faults.length > 0 || !error.code.startsWith("REDIRECT")) return error;
  const place = circleOf(error) ? "to_target" : "from_path";
  return new Refusal(error.status, error.code, error.detail, [{ code: error.code, place, detail: error.detail }], error.body);
}
