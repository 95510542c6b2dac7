import { Card as Panel, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/attributes";
import { groupQuery, type GroupView } from "./data";
import { GroupProducts } from "./GroupProducts";

interface Fields extends Record<string, unknown> {
  name: string;
  product_ids: number[];
}

const empty: Fields = { name: "", product_ids: [] };
const fieldsOf = ({ name, product_ids }: GroupView): Fields => ({ name, product_ids });
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.includes(name));

// Group is the page of one group of products, or of a new one.
export function Group() {
  const { shop, id } = useParams({ from: "/$shop/groups/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={groupQuery(shop, id)}>
      {(passport, group) => <Form key={shop + id} shop={shop} group={group} locked={!passport.capabilities.catalog_write} />}
    </ObjectPage>
  );
}

function Form({ shop, group, locked }: { shop: string; group: GroupView | undefined; locked: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (group ? fieldsOf(group) : empty), [group]);
  const edit = useEdit<Fields>(`${shop}/group/${group?.id ?? "new"}`, base);
  const { values } = edit;
  const [asking, setAsking] = useState(false);

  const bodyOf = (changed: (keyof Fields)[], from: GroupView | undefined) => {
    const item = Object.fromEntries(changed.map((n) => [n, values[n]]));
    return from ? { item, expected_updated_at: from.updated_at } : { item: { ...item, name: values.name } };
  };
  const path = group ? `/product-groups/${group.id}` : "/product-groups";
  useShownCall(group && !edit.dirty ? { method: "GET", path } : { method: group ? "PUT" : "POST", path, body: bodyOf(edit.changed, group) });

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/product-groups/{id}", { params: { path: { id: group!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "groups"] });
      told(say, `${group!.name}: ${say("deleted")}`);
      void navigate({ to: "/$shop/groups", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Stack maw={720}>
      <Heading back={{ to: "/$shop/groups", label: say("groups") }} title={group?.name ?? say("newGroup")}>
        {group && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      <EditForm
        edit={edit}
        base={group}
        locked={locked}
        fieldsOf={fieldsOf}
        fieldAt={fieldAt}
        labels={{ name: say("groupName"), product_ids: say("products") }}
        show={(_, value) => (Array.isArray(value) ? say("productsCount", { n: value.length }) : String(value ?? ""))}
        send={async (changed, from) => {
          const body = bodyOf(changed, from);
          if (!from) return (await answer(api.POST("/product-groups", { body: { item: { ...body.item, name: values.name } } }))).result;
          return (await answer(api.PUT("/product-groups/{id}", { params: { path: { id: from.id } }, body }))).result;
        }}
        onTheirs={(current) => queries.setQueryData(groupQuery(shop, current.id).queryKey, current)}
        onSaved={(saved) => {
          queries.setQueryData(groupQuery(shop, saved.id).queryKey, saved);
          void queries.invalidateQueries({ queryKey: [shop, "groups"] });
          if (!group) void navigate({ to: "/$shop/groups/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <Panel withBorder>
            <Stack>
              <TextInput label={say("groupName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} autoFocus={!group} dir="auto" />
              <GroupProducts shop={shop} value={values.product_ids} onChange={(v) => edit.set("product_ids", v)} error={faults.product_ids} locked={locked} />
            </Stack>
          </Panel>
        )}
      </EditForm>
      {asking && <Ask title={say("deleteGroup", { name: group!.name })} text={say("deleteGroupText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}
