import { Badge, Button, Card, Group, List as Entries, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { dateText } from "../../parts/dates";
import { List } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { journalQuery, journalSize, webhookQuery, type Delivery, type Webhook } from "./data";
import { deliveryStates, type DeliveryState, type JournalSearch } from "./search";

const colors = { queued: "gray", retrying: "orange", delivered: "teal", dead: "red" };

// Journal lists the deliveries of a webhook with what the receiver answered.
export function Journal({ shop, hook, zone, locked, search, onSearch }: { shop: string; hook: Pick<Webhook, "id" | "is_active">; zone: string; locked: boolean; search: JournalSearch; onSearch: (search: JournalSearch) => void }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const list = useQuery(journalQuery(shop, hook.id, search));
  const again = useMutation({
    mutationFn: ({ id }: Delivery) => answer(api.POST("/webhooks/{id}/deliveries/{delivery_id}/redeliver", { params: { path: { id: hook.id, delivery_id: id } } })),
    onSuccess: () => told(say, say("redelivered")),
    onError: (error) => failed(say, error),
    onSettled: () => queries.invalidateQueries({ queryKey: webhookQuery(shop, hook.id).queryKey }),
  });

  const time = (at: string) => dateText(at, zone, language);
  const event = (d: Delivery) => (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {d.event}
      </Text>
      <Text size="sm" c="dimmed">
        {time(d.created_at)}
        {d.by_hand && " · " + say("byHand")}
      </Text>
    </Stack>
  );
  const state = (d: Delivery) => (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={colors[d.state]} tt="none">
        {say(`delivery_${d.state}`)}
      </Badge>
      {d.reason && <Text size="sm">{d.reason}</Text>}
      {d.next_attempt_at && d.state === "retrying" && <Text size="sm">{say("nextAttempt", { date: time(d.next_attempt_at) })}</Text>}
    </Stack>
  );
  const attempts = (d: Delivery) =>
    d.attempts.length > 0 && (
      <Entries size="sm" spacing={2} listStyleType="none">
        {d.attempts.map((a) => (
          <Entries.Item key={a.number}>
            {a.number} · {time(a.at)}: {a.error || a.status} ({a.took_ms} {say("ms")})
          </Entries.Item>
        ))}
      </Entries>
    );
  const act = (d: Delivery) =>
    !locked &&
    d.state !== "queued" && (
      <Button
        variant="default"
        size="xs"
        disabled={!hook.is_active}
        title={hook.is_active ? undefined : say("code_WEBHOOK_INACTIVE")}
        loading={again.isPending && again.variables.id === d.id}
        aria-label={`${say("redeliver")}: ${d.event}, ${time(d.created_at)}`}
        onClick={() => again.mutate(d)}
      >
        {say("redeliver")}
      </Button>
    );
  return (
    <Stack component="section" aria-label={say("journal")}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {say("journal")}
        </Title>
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={deliveryStates.map((value) => ({ value, label: say(`delivery_${value}`) }))}
          value={search.state ?? null}
          onChange={(v) => onSearch({ state: (v as DeliveryState) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
        />
      </Group>
      <List
        query={list}
        items={list.data?.items ?? []}
        total={list.data?.total ?? 0}
        size={journalSize}
        page={search.page}
        onPage={(page) => onSearch({ ...search, page })}
        nameOf={(d) => `${d.event} ${d.id}`}
        empty={say(search.state ? "noDeliveriesMatch" : "noDeliveries")}
        count={say("deliveriesCount", { n: list.data?.total ?? 0 })}
        columns={[
          { key: "event", label: say("event"), cell: event },
          { key: "state", label: say("state"), cell: state },
          { key: "attempts", label: say("attempts"), cell: attempts },
          { key: "act", label: say("actions"), end: true, cell: act },
        ]}
        card={(d) => (
          <Card withBorder padding="xs">
            <Stack gap="xs" align="flex-start">
              {event(d)}
              {state(d)}
              {attempts(d)}
              {act(d)}
            </Stack>
          </Card>
        )}
      />
    </Stack>
  );
}
