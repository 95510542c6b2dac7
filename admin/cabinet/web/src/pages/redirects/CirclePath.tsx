import "@mantine/core/styles/Timeline.css";
import { Alert, Group, Text, Timeline } from "@mantine/core";
import { IconArrowBackUp, IconDots } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { Address } from "../../parts/Address";
import type { Circle } from "./fields";

const shown = 12;

// CirclePath draws the addresses that visitors would be sent through, up to where they return.
export function CirclePath({ circle: { code, chain, rules } }: { circle: Circle }) {
  const { shop } = useParams({ from: "/$shop" });
  const { say } = useWords(words);
  const loop = code === "REDIRECT_LOOP";
  return (
    <Alert color="red" variant="light" title={say(loop ? "loopTitle" : "chainTitle")} role="alert">
      <Timeline bulletSize={18} lineWidth={2} mt="xs" active={-1} color="red">
        {chain.slice(0, shown).map((address, i) => {
          const again = loop && chain.indexOf(address) < i;
          return (
            <Timeline.Item key={i} bullet={again ? <IconArrowBackUp size={12} /> : undefined}>
              <Address text={address} />
              {again && (
                <Text size="xs" c="dimmed">
                  {say("backAgain")}
                </Text>
              )}
            </Timeline.Item>
          );
        })}
        {(chain.length > shown || !loop) && (
          <Timeline.Item bullet={<IconDots size={12} />}>
            <Text size="xs">{say("moreHops")}</Text>
          </Timeline.Item>
        )}
      </Timeline>
      <Group gap="xs" mt="xs">
        {rules
          .filter((id) => id !== "0")
          .slice(0, shown)
          .map((id) => (
            <AnchorLink key={id} to="/$shop/redirects/$id" params={{ shop, id }} size="sm" c="inherit" td="underline">
              {say("ruleOf", { id })}
            </AnchorLink>
          ))}
      </Group>
    </Alert>
  );
}
