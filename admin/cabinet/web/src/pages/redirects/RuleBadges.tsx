import { Badge, Group } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import type { Rule } from "./data";

// RuleBadges say what is special about a rule.
export function RuleBadges({ rule }: { rule: Rule }) {
  const { say } = useWords(words);
  const list = [
    !rule.enabled && { text: say("off"), color: "gray" },
    rule.enabled && rule.shadowed_by && { text: say("shadowed"), color: "orange" },
    rule.kind !== "exact" && { text: say(`kind_${rule.kind as "pattern" | "prefix"}`), color: undefined },
    rule.override_live && { text: say("beforePages"), color: "grape" },
    rule.external && { text: say("outside"), color: "cyan" },
    rule.code === 302 && { text: "302", color: "gray" },
  ].filter((b) => !!b);
  return (
    <Group gap={4}>
      {list.map((b) => (
        <Badge key={b.text} color={b.color} tt="none" variant="light" miw="max-content">
          {b.text}
        </Badge>
      ))}
    </Group>
  );
}
