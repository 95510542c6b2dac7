import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "../../parts/shop";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/redirects";
import type { RulesVersion } from "./data";

// useVersionTexts says who made a version, and what that changed.
export function useVersionTexts(shop: string) {
  const { say } = useWords(words);
  const { data: members } = useQuery(membersQuery(shop));
  const names = new Map(members?.result.map((m) => [m.user_id, m.name || m.email]));
  return {
    who: (v: RulesVersion) => [v.user_id === 0 ? say("program") : (names.get(v.user_id) ?? say("person", { id: v.user_id })), v.key_id !== "0" && say("byKey", { id: v.key_id })].filter(Boolean).join(" "),
    what: (v: RulesVersion) => say(`edit_${v.kind}` as WordOf<typeof words>, { n: v.rolled_to }),
    counts: (v: Pick<RulesVersion, "added" | "changed" | "removed">) =>
      (["added", "changed", "removed"] as const)
        .filter((k) => v[k] > 0)
        .map((k) => say(`count_${k}`, { n: v[k] }))
        .join(", "),
  };
}
