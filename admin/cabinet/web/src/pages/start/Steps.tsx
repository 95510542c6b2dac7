import { Anchor, Card, Group, List, Progress, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/start";

// Steps are those of a new shop, until the first order came in.
export function Steps({ shop }: { shop: string }) {
  const { say } = useWords(words);
  const setup = useQuery({
    queryKey: [shop, "setup"],
    queryFn: async () => (await answer(api.GET("/v1/shop/setup", {}))).result.steps,
    staleTime: 60_000,
  });
  const steps = setup.data ?? [];
  const done = steps.filter((s) => s.done).length;
  if (steps.length === 0 || steps.some((s) => s.key === "order" && s.done)) return null;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {say("steps")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("stepsDone", { n: done, all: steps.length })}
        </Text>
      </Group>
      <Progress value={(100 * done) / steps.length} my="sm" aria-label={say("steps")} />
      <List spacing={6} listStyleType="none">
        {steps.map((s) => (
          <List.Item
            key={s.key}
            icon={
              <ThemeIcon size={22} radius="xl" variant={s.done ? "filled" : "default"}>
                {s.done ? <IconCheck size={14} /> : <IconCircle size={14} />}
              </ThemeIcon>
            }
          >
            {s.key === "product" && !s.done ? (
              <AnchorLink to="/$shop/products/$id" params={{ shop, id: "new" }}>
                {say("step_product")}
              </AnchorLink>
            ) : (
              say(`step_${s.key}`)
            )}
            {s.done && <span className="skip">{say("stepDone")}</span>}
          </List.Item>
        ))}
      </List>
      <Anchor href="/docs/open-shop" target="_blank" rel="noreferrer" size="sm" mt="sm">
        {say("stepsHelp")}
      </Anchor>
    </Card>
  );
}
