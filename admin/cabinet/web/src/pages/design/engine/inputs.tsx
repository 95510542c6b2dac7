import { Autocomplete, Group, Input, MultiSelect, Select, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState, type FC } from "react";
import { answer, api } from "../../../api/client";
import { useLong } from "../../../parts/long";
import { Pictures } from "../../../parts/Pictures";
import { ProductSelect } from "../../../parts/ProductSelect";
import { RichText } from "../../../parts/RichText";
import { SectionTree } from "../../../parts/sections";
import { Button } from "@mantine/core";
import { useWords } from "../../../words";
import { words } from "../../../words/design";
import { sectionsQuery } from "../data";
import { inputOf, type Input as Kind } from "../kinds";
import { useAround, valueName, type FieldProps } from "./context";
import { Either, ListField, ObjectField } from "./groups";

const LibraryDialog = lazy(() => import("../../../parts/LibraryDialog"));

// useNote is what /docs/validate says about a field: what is wrong, or what is drawn instead.
export function useNote(path: string) {
  const { findings, language } = useAround();
  const { say } = useWords(words);
  const found = findings.find((f) => f.path === path && (f.status !== "applied" || f.drawn !== undefined));
  if (!found) return {};
  const drawn = found.drawn === undefined || found.drawn === null ? "" : say("drawnInstead", { value: String(found.drawn) });
  const detail = language === "en" ? (found.detail ?? "") : say(found.status === "ignored" ? "settingIgnored" : found.status === "unknown" ? "settingUnknown" : "settingClamped");
  const text = [detail, drawn].filter(Boolean).join(" ");
  return found.status === "applied" ? { description: text } : { error: text || true };
}

function useText({ label, value, schema, path, onChange }: FieldProps) {
  const { locked } = useAround();
  const fallback = schema.default;
  return {
    label,
    value: typeof value === "string" || typeof value === "number" ? String(value) : "",
    placeholder: typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : "",
    onChange: (e: { currentTarget: { value: string } }) => onChange(e.currentTarget.value === "" && fallback !== "" ? undefined : e.currentTarget.value),
    readOnly: locked,
    dir: "auto" as const,
    maxLength: 4000,
    ...useNote(path),
  };
}

const TextField = (props: FieldProps) => <TextInput {...useText(props)} />;

function NumberField(props: FieldProps) {
  const { schema, onChange } = props;
  return (
    <TextInput
      {...useText(props)}
      type="number"
      step={inputOf(schema) === "integer" ? 1 : "any"}
      min={schema.minimum}
      max={schema.maximum}
      onChange={(e) => onChange(e.currentTarget.value === "" ? undefined : Number(e.currentTarget.value))}
    />
  );
}

function BooleanField({ label, value, schema, path, onChange }: FieldProps) {
  const { locked } = useAround();
  const shown = typeof value === "boolean" ? value : schema.default === true;
  return <Switch label={label} checked={shown} disabled={locked} onChange={(e) => onChange(e.currentTarget.checked)} {...useNote(path)} />;
}

function ChoiceField({ label, value, schema, path, onChange }: FieldProps) {
  const { locked, language } = useAround();
  const listed = (schema.enum ?? []).filter((v) => v !== "");
  const other = typeof value === "string" || typeof value === "number" ? [value].filter((v) => v !== "" && !listed.includes(v)) : [];
  const shown = value ?? schema.default;
  return (
    <Select
      label={label}
      data={[...listed, ...other].map((v) => ({ value: String(v), label: valueName(v, language) }))}
      value={typeof shown === "string" || typeof shown === "number" ? String(shown) || null : null}
      onChange={(v) => onChange(v === null ? undefined : (listed.find((e) => String(e) === v) ?? v))}
      readOnly={locked}
      {...useNote(path)}
    />
  );
}

function ChoicesField({ label, value, schema, path, onChange }: FieldProps) {
  const { locked, language } = useAround();
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const all = [...new Set([...(schema.items?.enum ?? []).map(String), ...chosen])];
  return <MultiSelect label={label} data={all.map((v) => ({ value: v, label: valueName(v, language) }))} value={chosen} onChange={(v) => onChange(v.length > 0 ? v : undefined)} readOnly={locked} {...useNote(path)} />;
}

function ClassesField(props: FieldProps) {
  const value = Array.isArray(props.value) ? props.value.join(" ") : props.value;
  return <TextInput {...useText({ ...props, value })} onChange={(e) => props.onChange(e.currentTarget.value || undefined)} />;
}

function RichField({ label, value, path, onChange }: FieldProps) {
  const { locked } = useAround();
  const { error } = useNote(path) as { error?: string };
  return <RichText label={label} value={typeof value === "string" ? value : ""} onChange={onChange} disabled={locked} maxLength={20000} error={error} />;
}

function ColourField(props: FieldProps) {
  const { say } = useWords(words);
  const text = useText(props);
  return (
    <TextInput
      {...text}
      leftSection={
        <input
          type="color"
          className="swatch"
          aria-label={say("pick", { name: props.label })}
          value={/^#[0-9a-f]{6}$/i.test(text.value) ? text.value : "#ffffff"}
          disabled={text.readOnly}
          onChange={(e) => props.onChange(e.currentTarget.value)}
        />
      }
    />
  );
}

// AddressField leads to a page of the shop or elsewhere.
function AddressField(props: FieldProps) {
  const { shop } = useAround();
  const [wanted, setWanted] = useState(false);
  const { data } = useQuery({ ...sectionsQuery(shop), enabled: wanted });
  const tree = new SectionTree(data ?? []);
  const { onChange: _, ...text } = useText(props);
  return <Autocomplete {...text} data={[...new Set(tree.list.filter((s) => !s.is_deleted).map((s) => tree.pathOf(s)))].slice(0, 500)} limit={20} onFocus={() => setWanted(true)} onChange={(v) => props.onChange(v || undefined)} />;
}

function PictureField({ label, value, path, onChange }: FieldProps) {
  const { locked } = useAround();
  const { error } = useNote(path) as { error?: string };
  return <Pictures label={label} value={typeof value === "string" && value ? [value] : []} onChange={(ids) => onChange(ids[0])} max={1} disabled={locked} error={error} />;
}

function VideoField({ label, value, path, onChange }: FieldProps) {
  const { locked } = useAround();
  const { say } = useWords(words);
  const [choosing, setChoosing] = useState(false);
  return (
    <Input.Wrapper label={label} labelElement="div" {...useNote(path)}>
      <Group gap="xs">
        {typeof value === "string" && value !== "" && <span>{value.slice(0, 8)}…</span>}
        <Button size="compact-sm" variant="default" disabled={locked} onClick={() => setChoosing(true)}>
          {say("fromLibrary")}
        </Button>
        {value !== undefined && (
          <Button size="compact-sm" variant="subtle" disabled={locked} onClick={() => onChange(undefined)}>
            {say("clear")}
          </Button>
        )}
      </Group>
      <Suspense>
        {choosing && (
          <LibraryDialog
            only="video"
            taken={[]}
            max={1}
            onClose={() => setChoosing(false)}
            onChoose={([file]) => {
              setChoosing(false);
              onChange(file?.id);
            }}
          />
        )}
      </Suspense>
    </Input.Wrapper>
  );
}

function ProductField({ label, value, path, onChange }: FieldProps) {
  const { shop, locked } = useAround();
  const { say } = useWords(words);
  const id = Number(value) || 0;
  const { data } = useQuery({
    queryKey: [shop, "product", "name", id],
    queryFn: async () => (await answer(api.GET("/products/{id}", { params: { path: { id } } }))).result.name,
    enabled: id > 0,
    retry: false,
  });
  return (
    <Input.Wrapper label={label} labelElement="div" {...useNote(path)}>
      {id > 0 && (
        <Group gap="xs" mb={4} wrap="nowrap">
          <span dir="auto">{data ?? `№ ${id}`}</span>
          <Button size="compact-sm" variant="subtle" disabled={locked} onClick={() => onChange(undefined)}>
            {say("clear")}
          </Button>
        </Group>
      )}
      {!locked && <ProductSelect shop={shop} label={say("chooseProduct")} without={[id]} onChoose={(chosen) => onChange(chosen)} />}
    </Input.Wrapper>
  );
}

// IDField chooses one of a list that is read when it is wanted.
function IDField({ label, value, path, onChange, of }: FieldProps & { of: "category" | "form" | "document" | "block" }) {
  const { shop, locked, blocks } = useAround();
  const id = value === undefined || value === null || Number(value) === 0 ? null : String(value);
  const [wanted, setWanted] = useState(id !== null);
  const { data = [] } = useQuery({
    queryKey: [shop, "choices", of],
    queryFn: async () => {
      if (of === "category") return (await answer(api.GET("/categories", { params: { query: { view: "menu" } } }))).result.map((s) => ({ value: String(s.id), label: s.name }));
      if (of === "form") return (await answer(api.GET("/forms"))).result.map((f) => ({ value: String(f.id), label: f.name }));
      return (await answer(api.GET("/html-documents"))).result.map((d) => ({ value: String(d.id), label: d.name }));
    },
    enabled: wanted && of !== "block",
    staleTime: 60_000,
  });
  const listed = of === "block" ? blocks.map((b) => ({ value: b.id, label: b.name })) : data;
  const known = id === null || listed.some((o) => o.value === id) ? listed : [...listed, { value: id, label: `№ ${id}` }];
  return (
    <Select
      label={label}
      value={id}
      {...useLong(known, id)}
      clearable
      onFocus={() => setWanted(true)}
      onChange={(v) => onChange(v === null ? undefined : of === "block" || of === "document" ? v : Number(v))}
      readOnly={locked}
      {...useNote(path)}
    />
  );
}

const choosing = (of: "category" | "form" | "document" | "block") => (props: FieldProps) => <IDField {...props} of={of} />;

const fields: Record<Kind, FC<FieldProps>> = {
  boolean: BooleanField,
  integer: NumberField,
  number: NumberField,
  string: TextField,
  choice: ChoiceField,
  choices: ChoicesField,
  list: ListField,
  object: ObjectField,
  either: Either,
  classes: ClassesField,
  address: AddressField,
  file: PictureField,
  video: VideoField,
  html: RichField,
  colour: ColourField,
  "aspect classes": TextField,
  "text classes": TextField,
  "grid classes": TextField,
  "mark classes": TextField,
  product: ProductField,
  category: choosing("category"),
  form: choosing("form"),
  document: choosing("document"),
  block: choosing("block"),
};

// Field is the input of one setting.
export function Field(props: FieldProps) {
  const kind = inputOf(props.schema);
  const Input = kind && fields[kind];
  return Input ? <Input {...props} /> : null;
}
