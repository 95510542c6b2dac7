import { Select, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { BulkBar, type BulkAction } from "../../parts/BulkBar";
import { each } from "../../parts/each";
import { told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/customers";
import { saveCustomer, type Customer, type Group } from "./data";

// GroupBar puts the selected customers into a group that is filled by hand, or takes them out.
export function GroupBar({ shop, customers, groups, nameOf, onDone }: { shop: string; customers: Customer[]; groups: Group[]; nameOf: (c: Customer) => string; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const group = groups.find((g) => g.id === chosen);

  async function change(list: Customer[], into: boolean, id: string) {
    const changed = await each(say, list, nameOf, (c) => {
      const byHand = c.group_ids.filter((other) => other !== id && groups.some((g) => g.id === other));
      return saveCustomer(c, { group_ids: into ? [...byHand, id] : byHand });
    });
    await queries.invalidateQueries({ queryKey: [shop, "customers"] });
    return changed;
  }

  const action = (key: "intoGroup" | "outOfGroup", { id }: Group): BulkAction => {
    const into = key === "intoGroup";
    const list = customers.filter((c) => c.group_ids.includes(id) !== into);
    return {
      key,
      label: say(key),
      effect: () => Promise.resolve({ changes: list.length }),
      run: async () => {
        const changed = await change(list, into, id);
        onDone();
        if (changed.length > 0) told(say, say("saved") + " · " + say("customersCount", { n: changed.length }), () => change(changed, !into, id));
      },
    };
  };

  return (
    <BulkBar count={customers.length} willChange={(n) => say("willChange", { n, group: group?.name ?? "" })} actions={group ? [action("intoGroup", group), action("outOfGroup", group)] : []}>
      {groups.length > 0 ? (
        <Select
          aria-label={say("group")}
          placeholder={say("group")}
          data={groups.map((g) => ({ value: g.id, label: g.name }))}
          value={chosen}
          onChange={setChosen}
          comboboxProps={{ position: "top" }}
        />
      ) : (
        <Text size="sm">{say("noGroupsByHand")}</Text>
      )}
    </BulkBar>
  );
}
