import { Group, Input, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { codeOf } from "../../parts/codes";
import { Pager } from "../../parts/Pager";
import { Place } from "../../parts/Place";
import { useWords } from "../../words";
import { words } from "../../words/attributes";

export interface Option {
  value: string;
  label: string;
}

const shown = 50;

// Options edits the values of an attribute. The code of a stored value stays: products refer to it.
export function Options({ value, stored, onChange, error, locked }: { value: Option[]; stored: Option[]; onChange: (options: Option[]) => void; error?: string | undefined; locked: boolean }) {
  const { say } = useWords(words);
  const [page, setPage] = useState(1);
  const [text, setText] = useState("");
  const known = new Set(stored.map((o) => o.value));
  const last = Math.max(1, Math.ceil(value.length / shown));
  const first = (Math.min(page, last) - 1) * shown;

  function add(lines: string) {
    const next = [...value];
    for (const label of lines.split(/\r?\n/).map((l) => l.trim().slice(0, 255))) {
      if (label && !next.some((o) => o.label === label)) next.push({ value: codeOf(label, new Set(next.map((o) => o.value)), "value"), label });
    }
    setText("");
    onChange(next);
    setPage(Math.ceil(next.length / shown));
  }
  const set = (at: number, part: Partial<Option>) => onChange(value.map((o, i) => (i === at ? { ...o, ...part } : o)));

  return (
    <Input.Wrapper label={say("options")} error={error} labelElement="div">
      <Stack gap="xs">
        {value.slice(first, first + shown).map((o, i) => {
          const at = first + i;
          return (
            <Group key={at} gap="xs" wrap="nowrap">
              <TextInput aria-label={say("option", { n: at + 1 })} value={o.label} onChange={(e) => set(at, { label: e.currentTarget.value })} maxLength={255} readOnly={locked} flex={2} miw={0} dir="auto" />
              <TextInput aria-label={say("code", { n: at + 1 })} value={o.value} onChange={(e) => set(at, { value: e.currentTarget.value })} maxLength={64} readOnly={locked || known.has(o.value)} variant={known.has(o.value) ? "unstyled" : "default"} flex={1} miw={0} dir="ltr" />
              {!locked && <Place list={value} at={at} name={o.label} onChange={onChange} />}
            </Group>
          );
        })}
        {last > 1 && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {say("optionsCount", { n: value.length })}
            </Text>
            <Pager total={value.length} size={shown} page={Math.min(page, last)} onPage={(p) => setPage(p ?? 1)} />
          </Group>
        )}
        {!locked && value.length < 1000 && (
          <TextInput
            label={say("addOption")}
            description={say("addOptionHint")}
            value={text}
            maxLength={255}
            dir="auto"
            onChange={(e) => setText(e.currentTarget.value)}
            onBlur={() => add(text)}
            onKeyDown={(e) => {
              if (e.key !== "Enter") return;
              e.preventDefault(); // it does not save the form
              add(text);
            }}
            onPaste={(e) => {
              const pasted = e.clipboardData.getData("text");
              if (!pasted.includes("\n")) return;
              e.preventDefault();
              add(text + pasted);
            }}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}
