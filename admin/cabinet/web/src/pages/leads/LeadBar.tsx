import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { BulkBar, type BulkAction } from "../../parts/BulkBar";
import { each } from "../../parts/each";
import { told } from "../../parts/notice";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/leads";
import { deleteLead, saveLead, type Lead } from "./data";
import type { Status } from "./search";

const moves: [WordOf<typeof words>, Status][] = [
  ["toDone", "done"],
  ["toNew", "new"],
  ["toSpam", "spam"],
];

// LeadBar changes the state of the selected leads, or deletes them.
export function LeadBar({ shop, leads, nameOf, onDone }: { shop: string; leads: Lead[]; nameOf: (l: Lead) => string; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "leads"] });

  const move = ([word, status]: (typeof moves)[number]): BulkAction => {
    const list = leads.filter((l) => l.status !== status);
    return {
      key: word,
      label: say(word),
      effect: () => Promise.resolve({ changes: list.length }),
      run: async () => {
        const before = new Map(list.map((l) => [l.id, l.status]));
        const changed = await each(say, list, nameOf, (l) => saveLead(l, { status }));
        onDone();
        await refresh();
        if (changed.length === 0) return;
        told(say, say("changed", { n: changed.length }), async () => {
          await each(say, changed, nameOf, (l) => saveLead(l, { status: before.get(l.id)! }));
          await refresh();
        });
      },
    };
  };
  const remove: BulkAction = {
    key: "remove",
    label: say("remove"),
    removes: true,
    effect: () => Promise.resolve({ changes: leads.length, more: <Text size="sm">{say("willDelete")}</Text> }),
    run: async () => {
      const gone = await each(say, leads, nameOf, (l) => deleteLead(l.id));
      onDone();
      await refresh();
      if (gone.length > 0) told(say, say("removed", { n: gone.length }));
    },
  };
  return <BulkBar count={leads.length} willChange={(n) => say("leadsCount", { n })} actions={[...moves.filter(([, status]) => leads.some((l) => l.status !== status)).map(move), remove]} />;
}
