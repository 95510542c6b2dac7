import { useQuery } from "@tanstack/react-query";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/integrations";
import { scopesQuery } from "./data";

// The groups in which scopes are chosen. Scopes that a newer server has are in the last one.
const groups = {
  goods: ["catalog", "storage", "promotions", "pricing"],
  sales: ["orders", "customers", "forms", "leads"],
  site: ["access", "redirects", "site-files", "domain", "publish", "stats"],
} as const;

export type ScopeGroup = keyof typeof groups;

const nounOf = (scope: string) => scope.split(":")[0];

export function groupOf(scope: string): ScopeGroup {
  const names = Object.keys(groups) as ScopeGroup[];
  return names.find((g) => groups[g].some((noun) => noun === nounOf(scope))) ?? "site";
}

// useScopeText returns the function that says what a scope opens.
export function useScopeText(): (scope: string) => string {
  const { say } = useWords(words);
  const { data } = useQuery(scopesQuery);
  return (scope) => (scope in words ? say(scope as WordOf<typeof words>) : (data?.find((s) => s.scope === scope)?.opens ?? scope));
}
