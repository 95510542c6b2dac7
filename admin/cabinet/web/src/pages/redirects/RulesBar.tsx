import { useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { BulkBar } from "../../parts/BulkBar";
import { each } from "../../parts/each";
import type { Selection } from "../../parts/List";
import { told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { itemOf, putRule, removeRules, ruleSet, type Rule } from "./data";
import ReplayList from "../../parts/ReplayList";

// RulesBar switches the selected rules on or off, one call for each, or deletes them with one call.
export function RulesBar({ shop, rules, selection }: { shop: string; rules: Rule[]; selection: Selection<string> }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "redirects"] });
  const selected = rules.filter((r) => selection.ids.includes(r.id));

  async function enable(list: Rule[], enabled: boolean) {
    const done = await each(say, list, (r) => r.from_path, async (r) => putRule(r, { ...itemOf(r), enabled }));
    await refresh();
    return done.map((d) => d.result.id);
  }
  const switching = (enabled: boolean) => {
    const list = selected.filter((r) => r.enabled !== enabled);
    return {
      key: String(enabled),
      label: say(enabled ? "switchOn" : "switchOff"),
      effect: () => Promise.resolve({ changes: list.length }),
      run: async () => {
        const ids = await enable(list, enabled);
        selection.set([]);
        if (ids.length === 0) return;
        told(say, say("rulesChanged", { n: ids.length }), async () => {
          const now = (await queries.fetchQuery({ ...ruleSet(shop), staleTime: 0 })).result;
          await enable(now.filter((r) => ids.includes(r.id)), !enabled);
        });
      },
    };
  };
  const ids = selected.map((r) => r.id);
  return (
    <BulkBar
      count={selected.length}
      willChange={(n) => say("willChange", { n })}
      actions={[
        switching(true),
        switching(false),
        {
          key: "remove",
          label: say("remove"),
          removes: true,
          effect: async () => {
            const { replay } = await answer(api.DELETE("/storefront-redirects", { body: { ids, dry_run: true } }));
            return { changes: ids.length, more: replay && <ReplayList replay={replay} /> };
          },
          run: async () => {
            const undo = await removeRules(ids, say("undoOverlaps"));
            selection.set([]);
            await refresh();
            told(say, say("rulesDeleted", { n: ids.length }), undo && (() => undo().then(refresh)));
          },
        },
      ]}
    />
  );
}
