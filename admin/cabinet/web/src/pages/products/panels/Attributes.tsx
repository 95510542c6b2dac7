import { ActionIcon, Group, MultiSelect, Select, Skeleton, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../../api/client";
import { Failure } from "../../../frame/Failure";
import { useLong } from "../../../parts/long";
import { attributesQuery } from "../data";
import type { AttributeInput } from "../fields";
import { panel } from "../form";
import { Panel } from "./Panel";

const none: AttributeInput = { option_ids: [], number: "", text: "" };

// Attributes are the values that buyers filter and compare by.
export const Attributes = panel(["attributes"], function Attributes({ form: { shop, say, values, set, locked, faults } }) {
  const attributes = useQuery(attributesQuery(shop));
  if (attributes.isError) return <Failure error={attributes.error} retry={() => void attributes.refetch()} />;
  if (attributes.isPending) return <Skeleton h={80} />;
  const chosen = attributes.data.filter((a) => a.id in values.attributes);
  const rest = attributes.data.filter((a) => !(a.id in values.attributes));
  const without = (id: number) => Object.fromEntries(Object.entries(values.attributes).filter(([key]) => key !== String(id)));
  return (
    <Panel title={say("attributes")}>
      {attributes.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {say("noAttributes")}
        </Text>
      )}
      {chosen.map((a) => (
        <Group key={a.id} align="flex-end" gap="xs" wrap="nowrap">
          <Value attribute={a} locked={locked} value={values.attributes[a.id]!} onChange={(v) => set("attributes", { ...values.attributes, [a.id]: v })} />
          {!locked && (
            <ActionIcon size="lg" variant="subtle" color="red" aria-label={`${say("remove")} ${a.name}`} onClick={() => set("attributes", without(a.id))}>
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {faults.attributes && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {faults.attributes}
        </Text>
      )}
      {!locked && rest.length > 0 && (
        <Select
          aria-label={say("addAttribute")}
          placeholder={say("addAttribute")}
          data={rest.map((a) => ({ value: String(a.id), label: a.name }))}
          value={null}
          onChange={(id) => id && set("attributes", { ...values.attributes, [id]: none })}
          searchable
          limit={200}
        />
      )}
    </Panel>
  );
});

function Value({ attribute: a, locked, value, onChange }: { attribute: Schemas["CatalogAttributeView"]; locked: boolean; value: AttributeInput; onChange: (v: AttributeInput) => void }) {
  const options = useMemo(() => a.options.map((o) => ({ value: String(o.id), label: o.label || o.value })), [a.options]);
  const drawn = useLong(options, value.option_ids.map(String));
  const label = a.unit ? `${a.name}, ${a.unit}` : a.name;
  if (a.kind === "option") {
    return (
      <MultiSelect
        label={label}
        flex={1}
        value={value.option_ids.map(String)}
        onChange={(ids) => onChange({ ...none, option_ids: ids.map(Number) })}
        readOnly={locked}
        maxValues={100}
        {...drawn}
      />
    );
  }
  const number = a.kind === "number";
  return (
    <TextInput
      label={label}
      flex={1}
      value={number ? value.number : value.text}
      onChange={(e) => onChange({ ...none, [number ? "number" : "text"]: e.currentTarget.value })}
      inputMode={number ? "decimal" : "text"}
      maxLength={number ? 30 : 1000}
      readOnly={locked}
      dir={number ? "ltr" : "auto"}
    />
  );
}
