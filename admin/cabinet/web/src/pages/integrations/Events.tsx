import { Card, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { ButtonLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { AreaHeading } from "./AreaHeading";

type Event = Schemas["WebhookEventView"];

const limit = 50;

// Events lists what happened in the shop, in the order in which webhooks are told.
export function Events() {
  const { shop } = useParams({ from: "/$shop/integrations/events" });
  const { after = 0 } = useSearch({ from: "/$shop/integrations/events" });
  const navigate = useNavigate({ from: "/$shop/integrations/events" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const query = { after: String(after), limit };
  const list = useQuery({ queryKey: [shop, "events", after], queryFn: async ({ signal }) => (await answer(api.GET("/events", { params: { query }, signal }))).result });
  const [typed, type] = useState(String(after));
  useShownCall({ method: "GET", path: addressOf("/events", query) });

  const zone = passport?.store.timezone ?? "UTC";
  const events = list.data ?? [];
  const last = events.at(-1);
  const time = (e: Event) => dateText(e.created_at, zone, language);
  const data = (e: Event) => (
    <Code block style={{ whiteSpace: "pre-wrap" }} dir="auto">
      {JSON.stringify(e.data)}
    </Code>
  );
  return (
    <Stack>
      <AreaHeading />
      <Text size="sm" c="dimmed">
        {say("eventsText")}
      </Text>
      <Form submit={say("show")} onSubmit={() => navigate({ search: { after: Number(typed) || undefined } })}>
        {() => <TextInput type="number" label={say("afterNumber")} description={say("afterHint")} min={0} value={typed} onChange={(e) => type(e.currentTarget.value)} maw={320} />}
      </Form>
      <List
        query={list}
        items={events.map((e) => ({ ...e, id: e.seq }))}
        total={events.length}
        size={limit}
        page={undefined}
        onPage={() => {}}
        nameOf={(e) => `${e.event} ${e.seq}`}
        empty={say(after ? "noMoreEvents" : "noEvents")}
        count={say("eventsShown", { n: events.length })}
        columns={[
          { key: "seq", label: say("number"), cell: (e) => e.seq },
          { key: "at", label: say("time"), cell: (e) => <Unbroken>{time(e)}</Unbroken> },
          { key: "event", label: say("event"), cell: (e) => e.event },
          { key: "data", label: say("data"), cell: data },
        ]}
        card={(e) => (
          <Card withBorder padding="xs">
            <Stack gap={4}>
              <Text size="sm" fw={500}>
                {e.seq} · {e.event}
              </Text>
              <Text size="sm" c="dimmed">
                {time(e)}
              </Text>
              {data(e)}
            </Stack>
          </Card>
        )}
      />
      {last && events.length === limit && (
        <Group>
          <ButtonLink variant="default" to="." search={{ after: Number(last.seq) }}>
            {say("nextEvents")}
          </ButtonLink>
        </Group>
      )}
    </Stack>
  );
}
