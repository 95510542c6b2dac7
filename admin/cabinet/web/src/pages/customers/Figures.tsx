import { Badge, Card as Panel, Group as Row, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "../../frame/Failure";
import type { Passport } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import { useWords } from "../../words";
import { words } from "../../words/customers";
import { ordersQuery, type Customer, type Group } from "./data";

interface Props {
  shop: string;
  customer: Customer;
  store: Passport["store"];
}

// Figures are what the shop counts of a customer, and the groups that they are in by rule.
export function Figures({ shop, customer: c, ruled, store }: Props & { ruled: Group[] }) {
  const { say, language } = useWords(words);
  const money = (n: number, currency = store.currency) => formatMoney(n, currency, store.price_digits, language);
  const others = Object.entries(c.spent_by_currency).filter(([currency, n]) => currency !== store.currency && n !== 0);
  const lines: [string, ReactNode][] = [
    [say("orders"), c.orders],
    [say("spent"), money(c.spent)],
    ...(others.length > 0 ? [[say("spentElse"), others.map(([currency, n]) => money(n, currency)).join(", ")] as [string, string]] : []),
    [say("lastOrder"), c.last_order_at ? dateText(c.last_order_at, store.timezone, language) : say("never")],
    [say("since"), dateText(c.created_at, store.timezone, language)],
  ];
  return (
    <Panel withBorder component="section">
      <Stack gap={6}>
        {lines.map(([label, value]) => (
          <Row key={label} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text size="sm" fw={500} ta="right">
              {value}
            </Text>
          </Row>
        ))}
        <Text size="sm" c="dimmed">
          {say("figuresHint")}
        </Text>
        {ruled.length > 0 && (
          <>
            <Text size="sm" c="dimmed">
              {say("groupsByRule")}
            </Text>
            <Row gap={4}>
              {ruled.map((g) => (
                <AnchorLink key={g.id} to="/$shop/customers/groups/$id" params={{ shop, id: g.id }} maw="100%">
                  <Badge variant="light" tt="none" maw="100%" dir="auto">
                    {g.name}
                  </Badge>
                </AnchorLink>
              ))}
            </Row>
          </>
        )}
      </Stack>
    </Panel>
  );
}

// Bought lists the latest orders of a customer.
export function Bought({ shop, customer, store }: Props) {
  const { say, language } = useWords(words);
  const orders = useQuery(ordersQuery(shop, store.id, customer.id));
  const found = orders.data?.items ?? [];
  return (
    <Panel withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {say("orders")}
      </Title>
      {orders.isError && <Failure error={orders.error} retry={() => void orders.refetch()} />}
      {orders.isPending && <Skeleton h={120} />}
      {orders.isSuccess && found.length === 0 && (
        <Text size="sm" c="dimmed">
          {say("noOrders")}
        </Text>
      )}
      <Stack gap="sm">
        {found.map((o) => (
          <div key={o.id}>
            <Row justify="space-between" wrap="nowrap">
              <AnchorLink to="/$shop/orders/$id" params={{ shop, id: o.id }} size="sm" fw={500}>
                {say("order", { number: o.number })}
              </AnchorLink>
              <Text size="sm" style={{ whiteSpace: "nowrap" }}>
                {formatMoney(o.grand_total, o.currency, store.price_digits, language)}
              </Text>
            </Row>
            <Text size="sm" c="dimmed">
              {dateText(o.created_at, store.timezone, language)}
            </Text>
            <Text size="sm" dir="auto" lineClamp={2}>
              {o.items.map((line) => `${line.name} × ${line.quantity}`).join(", ")}
            </Text>
          </div>
        ))}
        {(orders.data?.total ?? 0) > found.length && (
          <AnchorLink to="/$shop/orders" params={{ shop }} search={customer.user_id ? { buyer: customer.user_id } : { q: customer.email || customer.phone || customer.name }} size="sm">
            {say("allOrders")}
          </AnchorLink>
        )}
      </Stack>
    </Panel>
  );
}
