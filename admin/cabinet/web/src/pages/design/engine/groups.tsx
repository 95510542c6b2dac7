// Settings that consist of others. Their fields are fields again.
import { ActionIcon, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { moved } from "../../../parts/order";
import { useWords } from "../../../words";
import { words } from "../../../words/design";
import { fieldsOf, inputOf, type Schema } from "../kinds";
import { read, written } from "../sections";
import { nameOf, pathOf, useAround, type FieldProps } from "./context";
import { Fold } from "./Fold";
import { Field } from "./inputs";

// Fields are the settings of an object, without those that nothing draws.
export function Fields({ schema, value, path, onChange }: Pick<FieldProps, "schema" | "value" | "path" | "onChange">) {
  const { language } = useAround();
  return (
    <Stack gap="sm">
      {fieldsOf(schema)
        .filter(([, s]) => !s["x-inert"])
        .map(([name, s]) => (
          <Field key={name} name={name} label={nameOf(name, language)} schema={s} value={read(value, [name])} path={pathOf(path, name)} onChange={(v) => onChange(written(value, [name], v))} />
        ))}
    </Stack>
  );
}

const emptied = (v: unknown) => (typeof v === "object" && v !== null && !Array.isArray(v) && Object.keys(v).length === 0 ? undefined : v);

export function ObjectField({ label, schema, value, path, onChange }: FieldProps) {
  const only = fieldsOf(schema);
  const first = only[0];
  const set = (v: unknown) => onChange(emptied(v));
  if (only.length === 1 && first) return <Field name={first[0]} label={label} schema={first[1]} value={read(value, [first[0]])} path={pathOf(path, first[0])} onChange={(v) => set(written(value, [first[0]], v))} />;
  // The text of a heading is wanted always, its look seldom.
  if (first?.[0] === "text")
    return (
      <Stack gap={4}>
        <Field name="text" label={label} schema={first[1]} value={read(value, ["text"])} path={pathOf(path, "text")} onChange={(v) => set(written(value, ["text"], v))} />
        <Fold title={<StyleTitle label={label} />}>
          <Fields schema={{ ...schema, properties: Object.fromEntries(only.slice(1)) }} value={value} path={path} onChange={set} />
        </Fold>
      </Stack>
    );
  return (
    <Fold title={isStyle(schema) ? <StyleTitle label={label} /> : label}>
      <Fields schema={schema} value={value} path={path} onChange={set} />
    </Fold>
  );
}

// isStyle reports whether a setting is only the look of something.
export const isStyle = (schema: Schema) => schema.properties?.weight !== undefined && schema.properties.text === undefined;

function StyleTitle({ label }: { label: string }) {
  const { say } = useWords(words);
  return <>{say("lookOf", { name: label })}</>;
}

// Either is a setting with two forms, such as a colour or an object with one.
export function Either(props: FieldProps) {
  const { say } = useWords(words);
  const { language } = useAround();
  const forms = props.schema.anyOf ?? [];
  const typeOf = (s: Schema) => (Array.isArray(s.type) ? s.type[0] : s.type);
  const has = (v: unknown) => (typeof v === "object" && v !== null ? "object" : typeof v);
  const fitting = forms.findIndex((s) => typeOf(s) === has(props.value) || (typeof props.value === "number" && typeOf(s) === "integer"));
  const [chosen, setChosen] = useState(Math.max(0, fitting));
  const form = forms[chosen];
  if (!form) return null;
  const shown = fitting < 0 || fitting === chosen ? props.value : undefined;
  return (
    <Stack gap={4}>
      <Field {...props} schema={{ ...form, default: props.schema.default, format: form.format ?? (typeOf(form) === "string" ? props.schema.format : undefined) }} value={shown} />
      {forms.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label={say("formOf", { name: props.label })}
          data={forms.map((s, i) => ({ value: String(i), label: say(`as_${typeOf(s) === "integer" ? "number" : (typeOf(s) as "boolean" | "number" | "string" | "object")}`) }))}
          value={String(chosen)}
          onChange={(v) => {
            setChosen(Number(v));
            props.onChange(undefined);
          }}
          dir={language === "ru" ? "ltr" : undefined}
        />
      )}
    </Stack>
  );
}

const titleOf = (item: unknown) => ["title", "question", "text", "key", "name"].map((n) => read(item, [n])).find((v): v is string => typeof v === "string" && v !== "")?.replace(/<[^>]*>/g, " ");

// ListField is a list whose entries are added, ordered and removed.
export function ListField({ label, schema, value, path, onChange, max }: FieldProps & { max?: number | undefined }) {
  const { say } = useWords(words);
  const { locked } = useAround();
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  const item = schema.items ?? {};
  const simple = inputOf(item) !== "object";
  const [opened, setOpened] = useState<number>();
  const set = (next: unknown[]) => onChange(next.length > 0 ? next : undefined);
  const step = (from: number, to: number) => {
    set(moved(list, from, to));
    if (opened === from) setOpened(to);
  };
  return (
    <Stack gap={4} role="group" aria-label={label}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      {list.map((entry, i) => (
        <div key={i} className="entry">
          <Group gap={2} wrap="nowrap" justify="space-between">
            {simple ? (
              <div style={{ flex: 1, minWidth: 0 }}>
                <Field name="" label={`${label} ${i + 1}`} schema={item} value={entry} path={pathOf(path, i)} onChange={(v) => set(written(list, [i], v) as unknown[])} />
              </div>
            ) : (
              <Button variant="subtle" color="gray" size="compact-sm" justify="flex-start" flex={1} miw={0} aria-expanded={opened === i} onClick={() => setOpened(opened === i ? undefined : i)}>
                <Text size="sm" truncate dir="auto" component="span">
                  {i + 1}. {titleOf(entry) || say("noTitle")}
                </Text>
              </Button>
            )}
            {!locked && (
              <>
                <ActionIcon size={26} variant="subtle" color="gray" aria-label={`${say("moveUp")}: ${label} ${i + 1}`} disabled={i === 0} onClick={() => step(i, i - 1)}>
                  <IconArrowUp size={16} />
                </ActionIcon>
                <ActionIcon size={26} variant="subtle" color="gray" aria-label={`${say("moveDown")}: ${label} ${i + 1}`} disabled={i === list.length - 1} onClick={() => step(i, i + 1)}>
                  <IconArrowDown size={16} />
                </ActionIcon>
                <ActionIcon size={26} variant="subtle" color="red" aria-label={`${say("remove")}: ${label} ${i + 1}`} onClick={() => set(list.filter((_, n) => n !== i))}>
                  <IconX size={16} />
                </ActionIcon>
              </>
            )}
          </Group>
          {!simple && opened === i && (
            <div className="fold-body">
              <Fields schema={item} value={entry} path={pathOf(path, i)} onChange={(v) => set(written(list, [i], v) as unknown[])} />
              <Others schema={item} value={entry} onRemove={(name) => set(written(list, [i, name], undefined) as unknown[])} />
            </div>
          )}
        </div>
      ))}
      {!locked && list.length < (max ?? 100) && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          w="fit-content"
          onClick={() => {
            set([...list, simple ? (item.default ?? "") : {}]);
            setOpened(list.length);
          }}
        >
          {say("addEntry", { name: label })}
        </Button>
      )}
    </Stack>
  );
}

// Others are values that this version does not know; they are kept until somebody removes them.
export function Others({ schema, value, onRemove }: { schema: Schema; value: unknown; onRemove: (name: string) => void }) {
  if (typeof value !== "object" || value === null) return null;
  const known = fieldsOf(schema).map(([name]) => name);
  return <Unread list={Object.entries(value).filter(([name]) => !known.includes(name)).map(([name, v]) => ({ path: [name], value: v }))} onRemove={([name]) => onRemove(name!)} />;
}

export function Unread({ list, onRemove }: { list: { path: string[]; value: unknown }[]; onRemove: (path: string[]) => void }) {
  const { say } = useWords(words);
  const { locked } = useAround();
  if (list.length === 0) return null;
  return (
    <Stack gap={4} mt="sm">
      <Text size="sm" fw={500}>
        {say("unread")}
      </Text>
      <Text size="xs" c="dimmed">
        {say("unreadText")}
      </Text>
      {list.map(({ path, value }) => (
        <Group key={path.join(".")} gap="xs" wrap="nowrap" align="flex-start">
          <code className="unread" dir="ltr" tabIndex={0}>
            {path.join(".")}: {JSON.stringify(value)?.slice(0, 2000)}
          </code>
          {!locked && (
            <ActionIcon size={26} variant="subtle" color="red" aria-label={`${say("remove")}: ${path.join(".")}`} onClick={() => onRemove(path)}>
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
    </Stack>
  );
}
