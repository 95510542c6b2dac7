import { Accordion, Badge, Button, Group, List, Stack, Text } from "@mantine/core";
import type { Problem } from "../../parts/CodeEditor";
import { AnchorLink } from "../../parts/links";
import { Panel } from "../../parts/Panel";
import { useWords, type Say, type WordOf } from "../../words";
import { words } from "../../words/sitefiles";
import type { Preview } from "./data";
import { ruleName, rulesOf } from "./marketplace";

export interface Found extends Problem {
  rule: string;
  product: number;
}

const shown = 50;

// problemsOf lists what is wrong with a template and what the marketplace would refuse.
export function problemsOf(preview: Preview | undefined, say: Say<WordOf<typeof words>>): Found[] {
  const ruleOf = (code: string) => {
    const name = ruleName(code);
    return name ? say(name) : "";
  };
  return [
    ...(preview?.errors ?? []).map((e) => ({ line: e.line, message: e.message, error: true, rule: "", product: 0 })),
    ...(preview?.warnings ?? []).map((w) => ({ line: w.line, message: w.message, error: false, rule: ruleOf(w.code), product: Number(w.product_id ?? 0) })),
  ];
}

// Problems lists them with the way to their lines, and names the rules that were checked.
export function Problems({ shop, preview, problems, onLine }: { shop: string; preview: Preview | undefined; problems: Found[]; onLine: (line: number) => void }) {
  const { say } = useWords(words);
  if (!preview) return null;
  const { feed } = preview;
  return (
    <Panel title={say("problems")} {...(feed !== "" && { text: say(`checked_${feed}`) })}>
      <Stack gap="xs" aria-live="polite">
        {problems.length === 0 && (
          <Text size="sm" c="dimmed">
            {say("noProblems")}
          </Text>
        )}
        {problems.slice(0, shown).map((p, i) => (
          <Group key={i} gap="xs" align="flex-start" wrap="nowrap">
            <Badge color={p.error ? "red" : "orange"} variant="light" tt="none" miw="max-content" mt={2}>
              {say(p.error ? "error" : "warning")}
            </Badge>
            <Stack gap={2} miw={0} align="flex-start">
              {p.rule && (
                <Text size="sm" fw={500}>
                  {p.rule}
                </Text>
              )}
              <Text size="sm" lang="en" dir="auto" style={{ wordBreak: "break-word" }}>
                {p.message}
              </Text>
              <Group gap="xs">
                {p.line > 0 && (
                  <Button size="compact-xs" variant="default" onClick={() => onLine(p.line)}>
                    {say("line", { n: p.line })}
                  </Button>
                )}
                {p.product > 0 && (
                  <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(p.product) }} size="sm">
                    {say("ofProduct", { id: p.product })}
                  </AnchorLink>
                )}
              </Group>
            </Stack>
          </Group>
        ))}
      </Stack>
      {feed !== "" && (
        <Accordion variant="contained">
          <Accordion.Item value="rules">
            <Accordion.Control>{say("rulesChecked")}</Accordion.Control>
            <Accordion.Panel>
              <List size="sm" spacing={2}>
                {rulesOf[feed].map((rule) => (
                  <List.Item key={rule}>{say(ruleName(rule)!)}</List.Item>
                ))}
              </List>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Panel>
  );
}
