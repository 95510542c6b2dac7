import { Anchor, Card, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { webhooksQuery, type Webhook } from "./data";
import { AreaHeading } from "./AreaHeading";
import { WebhookState } from "./WebhookState";

// Webhooks lists the subscriptions of the shop to its events.
export function Webhooks() {
  const { shop } = useParams({ from: "/$shop/integrations/webhooks" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(webhooksQuery(shop));
  useShownCall({ method: "GET", path: "/webhooks", session: true });

  const hooks = list.data ?? [];
  const zone = passport?.store.timezone ?? "UTC";
  const last = (w: Webhook) => (w.last_delivered_at ? dateText(w.last_delivered_at, zone, language) : say("never"));
  const address = (w: Webhook) => (
    <AnchorLink to="/$shop/integrations/webhooks/$id" params={{ shop, id: w.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="ltr">
      {w.url}
    </AnchorLink>
  );
  return (
    <Stack>
      <AreaHeading>
        <ButtonLink to="/$shop/integrations/webhooks/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
          {say("newWebhook")}
        </ButtonLink>
      </AreaHeading>
      <Text size="sm" c="dimmed">
        {say("webhooksText")}{" "}
        <Anchor href="/docs/webhooks" target="_blank" rel="noreferrer" size="sm" underline="always">
          {say("webhooksGuide")}
        </Anchor>
      </Text>
      <List
        query={list}
        items={hooks}
        total={hooks.length}
        size={hooks.length}
        page={undefined}
        onPage={() => {}}
        nameOf={(w) => w.url}
        empty={say("noWebhooks")}
        count={say("webhooksCount", { n: hooks.length })}
        columns={[
          { key: "address", label: say("address"), cell: address },
          { key: "events", label: say("events"), cell: (w) => say("eventsCount", { n: w.events.length }) },
          { key: "state", label: say("state"), cell: (w) => <WebhookState webhook={w} /> },
          { key: "last", label: say("lastDelivery"), cell: last },
        ]}
        card={(w) => (
          <Card withBorder padding="xs">
            <Stack gap={4} align="flex-start">
              {address(w)}
              <Group gap="xs">
                <WebhookState webhook={w} />
                <Text size="sm" c="dimmed">
                  {say("eventsCount", { n: w.events.length })} · {say("lastDelivery")}: {last(w)}
                </Text>
              </Group>
            </Stack>
          </Card>
        )}
      />
    </Stack>
  );
}
