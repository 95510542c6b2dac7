import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import { editors, type EditorProps } from "./editors";
import { clauses, needed, parts, partsOf, sentence, type Part } from "./sentence";

const breaking = { root: { height: "auto", minHeight: 34, maxWidth: "100%" }, label: { whiteSpace: "normal" as const, overflow: "visible" as const, paddingBlock: 5, lineHeight: 1.4, textAlign: "start" as const } };

// Sentence says what a promotion does. Each part of it opens the fields that it says; a new
// promotion goes through them one after the other.
export function Sentence({ begin, ...props }: EditorProps & { begin: Part | null }) {
  const { say, language } = useWords(words);
  const { values, names, store, faults } = props;
  const [open, setOpen] = useState<Part | null>(begin);
  const panel = useRef<HTMLDivElement>(null);
  const chips = useRef<HTMLDivElement>(null);
  const moved = useRef(false); // by the person: the fields get the focus
  const said = clauses(values, names, store, language);
  const all = partsOf(values.kind);
  const shown = all.filter((part) => needed(part) || said.some((c) => c.part === part));
  const other = language === "ru" ? "en" : "ru";
  const opened = open && all.includes(open) ? open : null;
  const Editor = opened && editors[opened];

  useEffect(() => {
    if (!moved.current || !opened) return;
    const first = ["input:not([type=hidden], [type=radio], [type=checkbox])", "input:checked", "input"].map((s) => panel.current?.querySelector<HTMLElement>(s)).find(Boolean);
    first?.focus();
  }, [opened]);

  function go(part: Part | null) {
    moved.current = true;
    if (part === null) chips.current?.querySelector<HTMLElement>(`[data-part="${open}"]`)?.focus();
    setOpen(part);
  }

  function textOf(part: Part): string {
    const text = said.find((c) => c.part === part)?.text;
    if (text) return text;
    return say(part === "code" ? "choose_code" : values.kind === "gift" ? "choose_gift" : "choose_value");
  }

  const following = opened && all[all.indexOf(opened) + 1];
  const faulty = (part: Part) => parts[part].some((field) => faults[field]);

  return (
    <Card withBorder component="section" aria-labelledby="sentence">
      <Stack gap="sm">
        <Title order={2} size="h4" id="sentence">
          {say("sentence")}
        </Title>
        <div ref={chips}>
          <Group gap={6}>
            {shown.map((part) => {
              const missing = !said.some((c) => c.part === part);
              return (
                <Button
                  key={part}
                  data-part={part}
                  variant={opened === part ? "filled" : missing ? "outline" : "light"}
                  color={faulty(part) ? "red" : missing ? "orange" : undefined}
                  c={missing && opened !== part && !faulty(part) ? "var(--mantine-color-orange-light-color)" : undefined}
                  px="sm"
                  styles={breaking}
                  aria-expanded={opened === part}
                  aria-controls="part"
                  aria-invalid={faulty(part) || undefined}
                  onClick={() => go(opened === part ? null : part)}
                >
                  <bdi>{textOf(part)}</bdi>
                </Button>
              );
            })}
          </Group>
          <Group gap={6} mt="xs">
            {shown.length < all.length && (
              <Text size="sm" c="dimmed">
                {say("addPart")}
              </Text>
            )}
            {all
              .filter((part) => !shown.includes(part))
              .map((part) => (
                <Button
                  key={part}
                  data-part={part}
                  size="compact-sm"
                  variant={opened === part ? "filled" : "default"}
                  color={faulty(part) ? "red" : undefined}
                  leftSection={<IconPlus size={14} />}
                  aria-expanded={opened === part}
                  aria-controls="part"
                  aria-invalid={faulty(part) || undefined}
                  onClick={() => go(opened === part ? null : part)}
                >
                  {say(`part_${part}`)}
                </Button>
              ))}
          </Group>
        </div>
        <div id="part" ref={panel}>
          {Editor ? (
            <Card
              withBorder
              bg="var(--mantine-color-default-hover)"
              role="group"
              aria-label={say(`part_${opened}`)}
              onKeyDown={(e) => {
                if (e.key === "Escape" && !(e.target as Element).matches('[aria-expanded="true"]')) go(null);
              }}
            >
              <Stack gap="sm">
                <Text fw={600}>{say(`part_${opened}`)}</Text>
                <Editor {...props} />
                <Group gap="xs">
                  {following && (
                    <Button size="xs" variant="light" onClick={() => go(following)}>
                      {say("next")}: {say(`part_${following}`)}
                    </Button>
                  )}
                  <Button size="xs" variant="default" onClick={() => go(null)}>
                    {say("done")}
                  </Button>
                </Group>
              </Stack>
            </Card>
          ) : (
            <Text size="sm" c="dimmed">
              {say("sentenceHint")}
            </Text>
          )}
        </div>
        {all.filter(faulty).map((part) => (
          <Text key={part} size="sm" c="var(--mantine-color-error)" role="alert">
            {say(`part_${part}`)}: {parts[part].map((field) => faults[field]).find(Boolean)}
          </Text>
        ))}
        <Stack gap={4}>
          <Text dir="auto" data-sentence={language}>
            {sentence(said)}
          </Text>
          <Text size="sm" c="dimmed" data-sentence={other}>
            {say(other === "ru" ? "inRussian" : "inEnglish")}:{" "}
            <span lang={other} dir="auto">
              {sentence(clauses(values, names, store, other))}
            </span>
          </Text>
        </Stack>
      </Stack>
    </Card>
  );
}
