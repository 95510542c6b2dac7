import { Card as Panel, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/attributes";
import { attributeQuery, type AttributeView } from "./data";
import { Options, type Option } from "./Options";

interface Fields extends Record<string, unknown> {
  name: string;
  kind: AttributeView["kind"];
  unit: string;
  filterable: boolean;
  options: Option[];
}

const empty: Fields = { name: "", kind: "option", unit: "", filterable: true, options: [] };
const fieldsOf = ({ name, kind, unit, filterable, options }: AttributeView): Fields => ({ name, kind, unit, filterable, options: options.map(({ value, label }) => ({ value, label })) });
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.replace(/^item\./, "").split(/[.[]/)[0] === name);

// Attribute is the page of one attribute, or of a new one.
export function Attribute() {
  const { shop, id } = useParams({ from: "/$shop/attributes/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={attributeQuery(shop, Number(id))}>
      {(passport, attribute) => <Form key={shop + id} shop={shop} attribute={attribute} locked={!passport.capabilities.catalog_write} />}
    </ObjectPage>
  );
}

function Form({ shop, attribute, locked }: { shop: string; attribute: AttributeView | undefined; locked: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (attribute ? fieldsOf(attribute) : empty), [attribute]);
  const edit = useEdit<Fields>(`${shop}/attribute/${attribute?.id ?? "new"}`, base);
  const { values } = edit;
  const [asking, setAsking] = useState(false);

  const bodyOf = (changed: (keyof Fields)[], from: AttributeView | undefined) => {
    const names = from ? changed : ["name", "kind", "filterable", ...changed];
    const item: Schemas["CatalogAttributeItemInput"] = Object.fromEntries(names.map((n) => [n, values[n]]));
    return from ? { item, expected_updated_at: from.updated_at } : { item };
  };
  const path = attribute ? `/attributes/${attribute.id}` : "/attributes";
  useShownCall(attribute && !edit.dirty ? { method: "GET", path } : { method: attribute ? "PUT" : "POST", path, body: bodyOf(edit.changed, attribute) });

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/attributes/{id}", { params: { path: { id: attribute!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "attributes"] });
      told(say, `${attribute!.name}: ${say("deleted")}`);
      void navigate({ to: "/$shop/attributes", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Stack maw={720}>
      <Heading back={{ to: "/$shop/attributes", label: say("attributes") }} title={attribute?.name ?? say("newAttribute")}>
        {attribute && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      <EditForm
        edit={edit}
        base={attribute}
        locked={locked}
        fieldsOf={fieldsOf}
        fieldAt={fieldAt}
        labels={{ name: say("attributeName"), kind: say("valueKind"), unit: say("unit"), filterable: say("filterable"), options: say("options") }}
        show={(name, value) => {
          if (typeof value === "boolean") return say(value ? "yes" : "no");
          if (name === "kind") return say(`kind_${value as Fields["kind"]}`);
          return Array.isArray(value) ? (value as Option[]).map((o) => o.label).join(", ") : String(value ?? "");
        }}
        send={async (changed, from) => {
          const body = bodyOf(changed, from);
          if (!from) return (await answer(api.POST("/attributes", { body: { item: { ...body.item, name: values.name } } }))).result;
          return (await answer(api.PUT("/attributes/{id}", { params: { path: { id: from.id } }, body }))).result;
        }}
        onTheirs={(current) => queries.setQueryData(attributeQuery(shop, current.id).queryKey, current)}
        onSaved={(saved) => {
          queries.setQueryData(attributeQuery(shop, saved.id).queryKey, saved);
          void queries.invalidateQueries({ queryKey: [shop, "attributes"] });
          if (!attribute) void navigate({ to: "/$shop/attributes/$id", params: { shop, id: String(saved.id) }, replace: true });
        }}
      >
        {(faults) => (
          <Panel withBorder>
            <Stack>
              <TextInput label={say("attributeName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} autoFocus={!attribute} dir="auto" />
              <Select
                label={say("valueKind")}
                data={(["option", "number", "text"] as const).map((k) => ({ value: k, label: say(`kind_${k}`) }))}
                value={values.kind}
                allowDeselect={false}
                readOnly={locked}
                onChange={(v) => edit.set("kind", v as Fields["kind"])}
                error={faults.kind}
              />
              {values.kind === "number" && <TextInput label={say("unit")} description={say("unitHint")} value={values.unit} onChange={(e) => edit.set("unit", e.currentTarget.value)} error={faults.unit} readOnly={locked} maxLength={32} dir="auto" />}
              {values.kind !== "text" && <Switch label={say("filterable")} checked={values.filterable} disabled={locked} onChange={(e) => edit.set("filterable", e.currentTarget.checked)} />}
              {values.kind === "option" && <Options value={values.options} stored={base.options} onChange={(v) => edit.set("options", v)} error={faults.options} locked={locked} />}
            </Stack>
          </Panel>
        )}
      </EditForm>
      {asking && <Ask title={say("deleteAttribute", { name: attribute!.name })} text={say("deleteAttributeText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}
