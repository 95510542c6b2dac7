// The calls of the pages about redirects.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import type { MissSearch, RuleSearch } from "./search";

export type Rule = Schemas["SiteRuleView"];
export type RuleItem = Schemas["SiteRuleItemInput"];
export type Miss = Schemas["SiteMissView"];
export type Trace = Schemas["CompileTrace"];
export type RulesVersion = Schemas["SiteRulesVersion"];

export const pageSize = 50;
export const home = "/storefront-redirects";

// ruleSet reads all rules in the order in which they are tried: the API has no pages of them.
export const ruleSet = (shop: string) =>
  queryOptions({
    queryKey: [shop, "redirects", "rules"],
    queryFn: async ({ signal }) => answer(api.GET("/storefront-redirects", { signal })),
    staleTime: 10_000,
  });

export const ruleQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "redirects", "rule", id],
    queryFn: async () => (await answer(api.GET("/storefront-redirects/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const missQueryOf = (s: MissSearch) => ({ hidden: s.hidden ?? false, q: s.q, min_hits: s.min, "page.number": s.page ?? 1, "page.limit": pageSize });

export const missesQuery = (shop: string, s: MissSearch) =>
  queryOptions({
    queryKey: [shop, "misses", missQueryOf(s)],
    queryFn: async ({ signal }) => answer(api.GET("/storefront-redirects/misses", { params: { query: missQueryOf(s) }, signal })),
  });

// found are the rules that a search names.
export function found(rules: Rule[], { q, kind, state }: RuleSearch): Rule[] {
  const text = q?.toLowerCase();
  return rules.filter(
    (r) =>
      (!text || `${r.from_path}\n${r.to_target}\n${r.note}\n${r.id}`.toLowerCase().includes(text)) &&
      (!kind || r.kind === kind) &&
      (!state || { on: r.enabled, off: !r.enabled, shadowed: r.enabled && r.shadowed_by !== null, unused: !Number(r.hits) }[state]),
  );
}

export const itemOf = ({ kind, from_path, to_target, external, code, enabled, override_live, drop_query, query_match, note }: Rule): RuleItem => ({
  kind,
  from_path,
  to_target,
  external,
  code,
  enabled,
  override_live,
  drop_query,
  query_match,
  note,
});

export const putRule = (rule: Rule, item: RuleItem) => answer(api.PUT("/storefront-redirects/{id}", { params: { path: { id: rule.id } }, body: { item, ...(rule.updated_at && { expected_updated_at: rule.updated_at }) } }));

// removeRules deletes rules and returns how to bring them back with their ids and counters: by
// restoring the version before, as long as nobody changed the rules since.
export async function removeRules(ids: string[], overlaps: string): Promise<(() => Promise<unknown>) | undefined> {
  const [before] = (await answer(api.GET("/storefront-redirects/versions", { params: { query: { "page.number": 1, "page.limit": 1 } } }))).result;
  await answer(api.DELETE("/storefront-redirects", { body: { ids } }));
  if (!before) return undefined;
  return async () => {
    const { result: would } = await rollback(before.version, true);
    if (would.added !== ids.length || would.removed > 0 || would.changed > 0) throw new Error(overlaps);
    return rollback(before.version, false);
  };
}

export const rollback = (version: string, dry_run: boolean) => answer(api.POST("/storefront-redirects/rollback", { body: { version, dry_run } }));
