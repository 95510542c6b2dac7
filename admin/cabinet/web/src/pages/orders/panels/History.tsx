import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Schemas } from "../../../api/client";
import { Failure } from "../../../frame/Failure";
import { meQuery } from "../../../frame/session";
import { dateText } from "../../../parts/dates";
import { formatMinor } from "../../../parts/money";
import { membersQuery } from "../../../parts/shop";
import { useWords, type Say, type WordOf } from "../../../words";
import { words } from "../../../words/orders";
import { historyQuery } from "../data";
import type { PanelProps } from "../Order";
import { Panel } from "./Panel";

// History is who did what with the order. It is read when somebody wants to see it.
export function History({ shop, order, passport }: PanelProps) {
  const { say, language } = useWords(words);
  const [opened, setOpened] = useState(false);
  const history = useQuery({ ...historyQuery(shop, order.id), enabled: opened, refetchInterval: 30_000 });
  const { data: me } = useQuery(meQuery);
  const { data: members } = useQuery({ ...membersQuery(shop), enabled: opened && passport.capabilities.access_read, staleTime: 60_000 });
  function actor(id: number): string {
    if (id === 0) return say("byItself");
    if (id === me?.id) return say("you");
    const member = members?.result.find((m) => m.user_id === id);
    return member ? member.name || member.email : say(id === order.user_id ? "theBuyer" : "aMember");
  }
  return (
    <Panel
      title={say("history")}
      aside={
        !opened && (
          <Button size="xs" variant="default" onClick={() => setOpened(true)}>
            {say("show")}
          </Button>
        )
      }
    >
      {opened && history.isError && <Failure error={history.error} retry={() => void history.refetch()} />}
      {opened && history.isPending && <Skeleton h={120} />}
      {opened && (
        <Stack gap="xs">
          {history.data?.map((e, i) => (
            <div key={i}>
              <Text size="sm" dir="auto">
                {eventText(e, say, language)}
              </Text>
              <Text size="xs" c="dimmed" dir="auto">
                {dateText(e.created_at, passport.store.timezone, language)} · {actor(e.actor_id)}
              </Text>
            </div>
          ))}
        </Stack>
      )}
    </Panel>
  );
}

// eventText says what an entry of the history means; an unknown one shows its name.
function eventText({ kind, body }: Schemas["OrderHistoryView"], say: Say<WordOf<typeof words>>, language: string): string {
  const word = (name: string) => (name in words ? say(name as WordOf<typeof words>) : name);
  switch (kind) {
    case "created":
      return say("event_created");
    case "status":
      return say("event_status", { from: word(String(body.from)), to: word(String(body.to)) });
    case "payment":
      return [say("event_payment", { state: word(`payment_${String(body.status)}`) }), body.why].filter(Boolean).join(" — ");
    case "payment.mismatch":
      return say("event_mismatch", { sum: formatMinor(Number(body.amount), String(body.currency), language) });
    case "refund":
      return body.why === undefined ? say("event_refund", { state: word(`payment_${String(body.status)}`) }) : say("event_refused", { why: String(body.why) });
    case "shipment":
      return say("event_shipment", { carrier: String(body.carrier), state: word(`parcel_${String(body.status)}`) });
  }
  return kind;
}
