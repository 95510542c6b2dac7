import "@mantine/core/styles/Timeline.css";
import { Badge, Group, Text, Timeline } from "@mantine/core";
import { IconArrowBackUp, IconCheck, IconExternalLink, IconQuestionMark, IconWorld } from "@tabler/icons-react";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { Address } from "../../parts/Address";
import type { Trace } from "./data";
import { PageLink } from "./PageLink";

// TracePath draws the way of a visitor from an address: each redirect with who sends it, and what
// answers at the end.
export function TracePath({ shop, url, trace: t, writes }: { shop: string; url: string; trace: Trace; writes: boolean }) {
  const { say } = useWords(words);
  const missing = t.answers === 404;
  const endWord = t.too_long ? "end_loop" : t.page ? "end_page" : (`end_${t.answers}` as const);
  const end = say(endWord in words ? (endWord as keyof typeof words) : "end_200");
  const good = t.answers === 200;
  const icon = t.too_long ? <IconArrowBackUp size={14} /> : good ? <IconCheck size={14} /> : t.answers === 0 ? <IconExternalLink size={14} /> : <IconQuestionMark size={14} />;
  return (
    <Timeline bulletSize={24} lineWidth={2} active={t.steps.length + 1} color={good ? "teal" : missing || t.too_long ? "orange" : undefined}>
      <Timeline.Item bullet={<IconWorld size={14} />} title={<Text size="sm">{say("asked")}</Text>}>
        <Address text={t.steps[0]?.from ?? url} fw={500} />
      </Timeline.Item>
      {t.steps.map((s, i) => {
        const word = `step_${s.kind}` as const;
        const text = say(word in words ? (word as keyof typeof words) : "step_feed", { id: s.rule_id });
        return (
          <Timeline.Item
            key={i}
            bullet={<Text size="xs">{i + 1}</Text>}
            title={
              <Group gap={6}>
                {s.kind === "rule" ? (
                  <AnchorLink to="/$shop/redirects/$id" params={{ shop, id: s.rule_id }} size="sm">
                    {text}
                  </AnchorLink>
                ) : (
                  <Text size="sm">{text}</Text>
                )}
                <Badge variant="light" color="gray" tt="none">
                  {say("sent", { code: s.sent_code })}
                </Badge>
                {s.override_live && (
                  <Badge variant="light" color="grape" tt="none">
                    {say("beforePages")}
                  </Badge>
                )}
              </Group>
            }
          >
            <Address text={s.to} fw={500} />
            {s.page && i < t.steps.length - 1 && <PageLink shop={shop} page={s.page} />}
          </Timeline.Item>
        );
      })}
      <Timeline.Item
        bullet={icon}
        title={
          <Group gap={6}>
            <Text size="sm">{end}</Text>
            {t.answers > 0 && (
              <Badge variant="light" color={good ? "teal" : "orange"} tt="none">
                {say("sent", { code: t.answers })}
              </Badge>
            )}
          </Group>
        }
      >
        {t.page && <PageLink shop={shop} page={t.page} />}
        {missing && writes && t.steps.length === 0 && (
          <ButtonLink to="/$shop/redirects/$id" params={{ shop, id: "new" }} search={{ from: url.split("?")[0] }} size="xs" mt={4}>
            {say("makeRule")}
          </ButtonLink>
        )}
      </Timeline.Item>
    </Timeline>
  );
}
