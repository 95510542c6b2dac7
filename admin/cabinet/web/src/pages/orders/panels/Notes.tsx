import { Textarea, TagsInput } from "@mantine/core";
import { useMemo } from "react";
import { answer, api } from "../../../api/client";
import { EditForm } from "../../../parts/EditForm";
import { useEdit } from "../../../parts/useEdit";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { useOrderCache } from "../data";
import type { PanelProps } from "../Order";
import type { Order } from "../search";
import { Panel } from "./Panel";

type Fields = { tags: string[]; note: string };

const fieldsOf = (o: Order): Fields => ({ tags: o.tags ?? [], note: o.note ?? "" });

// Notes are the tags and the note of an order, which only members of the shop see.
export function Notes({ shop, order, locked }: PanelProps) {
  const { say } = useWords(words);
  const cache = useOrderCache(shop);
  const { tags, note } = fieldsOf(order);
  const key = JSON.stringify([tags, note]);
  const base = useMemo(() => ({ tags, note }), [key]); // not new with each reading of the order
  const edit = useEdit<Fields>(`${shop}/order/${order.id}`, base);
  const { values } = edit;

  async function send(changed: (keyof Fields)[], from: Order | undefined): Promise<Order> {
    let now = from!;
    const path = { id: now.id };
    if (changed.includes("tags")) now = (await answer(api.PUT("/orders/{id}/tags", { params: { path }, body: { tags: values.tags, expected_updated_at: now.updated_at } }))).result;
    if (changed.includes("note")) now = (await answer(api.PUT("/orders/{id}/note", { params: { path }, body: { text: values.note, expected_updated_at: now.updated_at } }))).result;
    return now;
  }

  return (
    <Panel title={say("forMembers")}>
      <EditForm
        edit={edit}
        base={order}
        send={send}
        fieldsOf={fieldsOf}
        fieldAt={(place) => (place.startsWith("tags") ? "tags" : place === "text" ? "note" : undefined)}
        labels={{ tags: say("tags"), note: say("note") }}
        show={(_, value) => (Array.isArray(value) ? value.join(", ") : String(value))}
        locked={locked}
        onTheirs={cache.put}
        onSaved={cache.put}
      >
        {(faults) => (
          <>
            <TagsInput
              label={say("tags")}
              description={say("tagsHint")}
              value={values.tags}
              onChange={(list) => edit.set("tags", list)}
              error={faults.tags}
              readOnly={locked}
              maxTags={64}
              maxLength={64}
              acceptValueOnBlur
              dir="auto"
            />
            <Textarea label={say("note")} description={say("noteHint")} value={values.note} onChange={(e) => edit.set("note", e.currentTarget.value)} error={faults.note} readOnly={locked} autosize minRows={2} maxRows={12} maxLength={4000} dir="auto" />
          </>
        )}
      </EditForm>
    </Panel>
  );
}
