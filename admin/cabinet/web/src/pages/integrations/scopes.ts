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

// inGroup returns the scopes of a group, those of one noun side by side.
export function inGroup<S extends { scope: string }>(group: ScopeGroup, scopes: S[]): S[] {
  const nouns: readonly string[] = groups[group];
  const others = Object.values(groups).flat() as string[];
  const place = ({ scope }: S) => {
    const noun = scope.split(":")[0]!;
    return group === "site" && !others.includes(noun) ? nouns.length : nouns.indexOf(noun);
  };
  return scopes.filter((s) => place(s) >= 0).sort((a, b) => place(a) - place(b));
}

// useScopeText returns the function that says what a scope opens.
export function useScopeText(): (scope: string) => string {
  const { say } = useWords(words);
  const { data } = useQuery(scopesQuery);
  return (scope) => (scope in words ? say(scope as WordOf<typeof words>) : (data?.find((s) => s.scope === scope)?.opens ?? scope));
}
