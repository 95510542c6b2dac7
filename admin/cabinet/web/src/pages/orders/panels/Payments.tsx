import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../../api/client";
import { Ask } from "../../../parts/Ask";
import { dateText } from "../../../parts/dates";
import { formatMinor, formatMoney } from "../../../parts/money";
import { failed, told } from "../../../parts/notice";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { PaymentBadge } from "../Badges";
import { useOrderCache, type Payment } from "../data";
import type { PanelProps } from "../Order";
import { Panel } from "./Panel";

// Payments are the attempts to pay the order; the shop confirms and refunds them.
export function Payments({ shop, order, passport, locked }: PanelProps) {
  const { say, language } = useWords(words);
  const cache = useOrderCache(shop);
  const [asked, ask] = useState<"confirm" | Payment>();
  const path = { id: order.id };
  const run = useMutation({
    mutationFn: (what: "confirm" | Payment) =>
      answer(what === "confirm" ? api.POST("/orders/{id}/payment/confirm", { params: { path } }) : api.POST("/orders/{id}/refund", { params: { path }, body: { payment_id: what.id } })),
    onSuccess: ({ result }, what) => {
      ask(undefined);
      cache.put(result);
      if (what === "confirm") told(say, say("saved"));
      else told(say, say(result.payments.find((p) => p.id === what.id)?.status === "refunded" ? "refundDone" : "refundAsked"));
    },
    onError: (error) => {
      ask(undefined);
      failed(say, error);
      void cache.refresh(order.id);
    },
  });
  const methodName = (method: string) => (method === "manual" ? say("method_manual") : method);
  const paid = order.payments.some((p) => p.paid_at);
  const sumOf = (p: Payment) => formatMinor(p.amount_minor, p.currency, language);
  return (
    <Panel
      title={say("payments")}
      aside={
        !paid &&
        !locked && (
          <Button size="xs" variant="default" onClick={() => ask("confirm")}>
            {say("confirmPayment")}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {order.payments.length === 0 && (
          <Text size="sm" c="dimmed">
            {say("noPayments")} {order.payment_method && say("wantsToPay", { method: methodName(order.payment_method) })}
          </Text>
        )}
        {order.payments.map((p) => {
          const why = p.refund_refused;
          return (
            <Stack key={p.id} gap="xs">
              <Group justify="space-between" gap="xs">
                <Stack gap={2} miw={0} flex="1 1 200px">
                  <Group gap="xs">
                    <Text size="sm" fw={500}>
                      {sumOf(p)}
                    </Text>
                    <PaymentBadge status={p.status} />
                  </Group>
                  <Text size="xs" c="dimmed" dir="auto">
                    {[methodName(p.method), dateText(p.refunded_at ?? p.paid_at, passport.store.timezone, language), p.provider_ref].filter(Boolean).join(" · ")}
                  </Text>
                </Stack>
                {!locked && (p.status === "paid" || p.status === "paid_again") && p.amount_minor > 0 && (
                  <Button size="xs" variant="light" color="red" onClick={() => ask(p)}>
                    {say(why === undefined ? "refund" : "refundAgain")}
                  </Button>
                )}
              </Group>
              {why !== undefined && (
                <Alert role="alert" color="red" variant="light" title={say("refundRefused")}>
                  <Text size="sm" dir="auto">
                    {why}
                  </Text>
                </Alert>
              )}
            </Stack>
          );
        })}
      </Stack>
      {asked === "confirm" && (
        <Ask
          title={say("confirmPayment")}
          text={say("confirmText", { sum: formatMoney(order.grand_total, order.currency, passport.store.price_digits, language) })}
          yes={say("confirmPayment")}
          doing={run.isPending}
          onYes={() => run.mutate(asked)}
          onClose={() => ask(undefined)}
        />
      )}
      {asked && asked !== "confirm" && (
        <Ask
          title={say("refund")}
          text={[say("refundText", { sum: sumOf(asked) }), asked.provider === "manual" && say("refundByHand")].filter(Boolean).join(" ")}
          yes={say("refund")}
          doing={run.isPending}
          onYes={() => run.mutate(asked)}
          onClose={() => ask(undefined)}
        />
      )}
    </Panel>
  );
}
