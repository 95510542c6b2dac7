import { Badge, Button, Card, Checkbox, Group, Input, Paper, Select, SimpleGrid, Stack, Text, Textarea, TextInput, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconGripVertical, IconPlus } from "@tabler/icons-react";
import { useRef, useState, type DragEvent, type KeyboardEvent } from "react";
import { dayField } from "../../parts/dates";
import type { Faults } from "../../parts/EditForm";
import { moved } from "../../parts/order";
import { Place } from "../../parts/Place";
import { useWords } from "../../words";
import { words } from "../../words/forms";
import { added, asking, has, kinds, mostFields, type Field, type Kind } from "./fields";

// Builder edits the fields of a form. They are moved by dragging, with the buttons, or with Alt and an
// arrow key.
export function Builder({ form, value, onChange, faults, locked }: { form: string | undefined; value: Field[]; onChange: (fields: Field[]) => void; faults: Faults; locked: boolean }) {
  const { say } = useWords(words);
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<string | null>(null);

  const focus = (selector: string) => requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(selector)?.focus());
  function add(kind: Kind) {
    const field = added(kind, value);
    onChange([...value, field]);
    setOpened(field.key);
    focus(`[data-label="${field.key}"]`);
  }
  function drop(event: DragEvent, to: number) {
    event.preventDefault();
    const from = event.dataTransfer.getData("text/x-field");
    if (from !== "" && !locked) onChange(moved(value, Number(from), to));
  }
  function step(event: KeyboardEvent, at: number) {
    const by = event.altKey && !locked ? ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0) : 0;
    if (by === 0) return;
    event.preventDefault();
    onChange(moved(value, at, at + by));
    focus(`[data-field="${value[at]!.key}"]`);
  }

  return (
    <Input.Wrapper label={say("fields")} error={faults.fields} description={value.length > 1 && !locked ? say("moveHint") : undefined} labelElement="div" ref={root}>
      <Stack gap="xs" mt="xs">
        {value.length === 0 && <Text size="sm">{say("noFields")}</Text>}
        {value.map((f, i) => {
          const faulty = Object.keys(faults).some((name) => name.startsWith(f.key + "."));
          const open = opened === f.key || faulty;
          return (
            <Card key={f.key} withBorder p="xs" onDragOver={(e) => e.preventDefault()} onDrop={(e) => drop(e, i)}>
              <Group justify="space-between" wrap="nowrap" gap="xs" draggable={!locked} onDragStart={(e) => e.dataTransfer.setData("text/x-field", String(i))}>
                {!locked && <IconGripVertical size={16} style={{ flex: "none", cursor: "grab" }} aria-hidden />}
                <UnstyledButton data-field={f.key} aria-expanded={open} flex={1} miw={0} onClick={() => setOpened(open ? null : f.key)} onKeyDown={(e) => step(e, i)}>
                  <Group gap={6} wrap="nowrap">
                    {open ? <IconChevronDown size={16} style={{ flex: "none" }} aria-hidden /> : <IconChevronRight size={16} style={{ flex: "none" }} aria-hidden />}
                    <Stack gap={2} miw={0}>
                      <Text size="sm" fw={500} dir="auto" lineClamp={2}>
                        {f.label || say("unnamed")}
                        {f.required && f.type !== "hidden" && " *"}
                      </Text>
                      <Badge variant="light" tt="none" color="gray">
                        {say(`kind_${f.type}`)}
                      </Badge>
                    </Stack>
                  </Group>
                </UnstyledButton>
                {!locked && <Place list={value} at={i} name={f.label || f.name} onChange={onChange} />}
              </Group>
              {open && (
                <FieldInputs
                  form={form}
                  field={f}
                  faultOf={(name) => faults[`${f.key}.${name}`]}
                  locked={locked}
                  onLabel={(label) => onChange(value.map((x) => (x.key === f.key ? asking(x, label, value) : x)))}
                  onChange={(part) => onChange(value.map((x) => (x.key === f.key ? { ...x, ...part } : x)))}
                />
              )}
            </Card>
          );
        })}
        {!locked &&
          (value.length >= mostFields ? (
            <Text size="sm" c="dimmed">
              {say("fullForm")}
            </Text>
          ) : (
            <Paper withBorder p="xs" role="group" aria-label={say("addField")}>
              <Text size="sm" mb="xs">
                {say("addField")}
              </Text>
              <Group gap={6}>
                {kinds.map((kind) => (
                  <Button key={kind} size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={() => add(kind)}>
                    {say(`kind_${kind}`)}
                  </Button>
                ))}
              </Group>
            </Paper>
          ))}
      </Stack>
    </Input.Wrapper>
  );
}

type TextName = Exclude<keyof Field & string, "key" | "type" | "required">;

const digits = (text: string) => text.replace(/\D/g, "");

// FieldInputs are the inputs for one field, as its kind has them.
function FieldInputs({
  form,
  field: f,
  faultOf,
  locked,
  onLabel,
  onChange,
}: {
  form: string | undefined;
  field: Field;
  faultOf: (name: string) => string | undefined;
  locked: boolean;
  onLabel: (label: string) => void;
  onChange: (part: Partial<Field>) => void;
}) {
  const { say } = useWords(words);
  const h = has(f.type);
  const text = (name: TextName, label: string, maxLength: number, clean = (typed: string) => typed) => ({
    label,
    value: f[name],
    onChange: (e: { currentTarget: { value: string } }) => onChange({ [name]: clean(e.currentTarget.value) }),
    error: faultOf(name),
    readOnly: locked,
    maxLength,
    dir: "auto" as const,
  });
  const question = { ...text("label", say(f.type === "consent" ? "consentLabel" : "label"), f.type === "consent" ? 1000 : 255), onChange: (e: { currentTarget: { value: string } }) => onLabel(e.currentTarget.value), "data-label": f.key };
  const code = { dir: "ltr" as const };
  return (
    <Stack mt="sm" gap="sm">
      {f.type === "consent" ? <Textarea {...question} required autosize minRows={2} /> : <TextInput {...question} />}
      {f.type !== "hidden" && <Checkbox label={say("required")} checked={f.required} disabled={locked} onChange={(e) => onChange({ required: e.currentTarget.checked })} />}
      {h.options && <Textarea {...text("options", say("options"), 5000)} required autosize minRows={3} maxRows={12} />}
      {h.link && <TextInput {...text("url", say("url"), 2000)} {...code} description={say("urlHint")} />}
      {h.example && <TextInput {...text("placeholder", say("placeholder"), 255)} />}
      {f.type !== "hidden" && <TextInput {...text("help", say("help"), 500)} />}
      {h.length && (
        <SimpleGrid cols={2}>
          <TextInput {...text("min_length", say("minLength"), 4, digits)} inputMode="numeric" />
          <TextInput {...text("max_length", say("maxLength"), 4, digits)} inputMode="numeric" />
        </SimpleGrid>
      )}
      {h.length && <TextInput {...text("pattern", say("pattern"), 200)} {...code} description={say("patternHint")} />}
      {h.limits && (
        <SimpleGrid cols={2}>
          <TextInput {...text("min", say(f.type === "date" ? "from" : "min"), 40)} {...(f.type === "date" ? dayField : { inputMode: "decimal" })} />
          <TextInput {...text("max", say(f.type === "date" ? "to" : "max"), 40)} {...(f.type === "date" ? dayField : { inputMode: "decimal" })} />
        </SimpleGrid>
      )}
      {h.size && <TextInput {...text("max_size", say("maxSize"), 10, (t) => t.replace(/[^\d.,]/g, ""))} description={say("maxSizeHint")} inputMode="decimal" />}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={say("kind")}
          data={kinds.map((value) => ({ value, label: say(`kind_${value}`) }))}
          value={f.type}
          allowDeselect={false}
          onChange={(v) => onChange({ type: v as Kind })}
          error={faultOf("type")}
          readOnly={locked}
        />
        <TextInput {...text("name", say("name"), 64)} {...code} required />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {f.type === "hidden" ? say("hiddenHint", { link: `form:${form ?? "…"}?${f.name}=…` }) : say("nameHint")}
      </Text>
    </Stack>
  );
}
