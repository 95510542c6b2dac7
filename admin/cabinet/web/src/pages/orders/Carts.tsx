import { Group, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { List, type Column } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { useWords } from "../../words";
import { words } from "../../words/orders";

type Cart = Schemas["CartLeftView"];

const size = 20;

// Carts are those that buyers filled and did not order, and those whose reminder led to an order.
export function Carts() {
  const { shop } = useParams({ from: "/$shop/orders/carts" });
  const { page } = useSearch({ from: "/$shop/orders/carts" });
  const navigate = useNavigate({ from: "/$shop/orders/carts" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const query = { "page.number": page ?? 1, "page.limit": size };
  const carts = useQuery({
    queryKey: [shop, "carts", page],
    queryFn: async ({ signal }) => (await answer(api.GET("/carts", { params: { query }, signal }))).result,
    placeholderData: keepPreviousData,
  });
  useShownCall({ method: "GET", path: addressOf("/carts", query) });
  if (!passport) return null;
  const { currency, price_digits, timezone } = passport.store;
  const date = (at: string) => dateText(at, timezone, language);
  const total = (c: Cart) => formatMoney(c.subtotal, currency, price_digits, language);
  const columns: Column<Cart>[] = [
    { key: "changed", label: say("changedAt"), cell: (c) => date(c.updated_at) },
    { key: "buyer", label: say("buyer"), cell: (c) => <Owner cart={c} /> },
    { key: "goods", label: say("goods"), cell: (c) => <Goods cart={c} /> },
    { key: "total", label: say("total"), end: true, cell: total },
    { key: "reminder", label: say("reminder"), cell: (c) => <Reminder shop={shop} cart={c} date={date} /> },
  ];
  return (
    <Stack>
      <Heading back={{ to: "/$shop/orders", label: say("orders") }} title={say("carts")} />
      <Text size="sm" c="dimmed" maw={720}>
        {say("cartsText")}
      </Text>
      <List
        query={carts}
        items={carts.data?.items ?? []}
        total={carts.data?.total ?? 0}
        size={size}
        page={page}
        onPage={(page) => void navigate({ search: { page } })}
        columns={columns}
        card={(c) => (
          <Stack gap={4} className="tile" p="xs">
            <Group justify="space-between" wrap="nowrap">
              <Owner cart={c} />
              <Text size="sm" fw={600}>
                {total(c)}
              </Text>
            </Group>
            <Goods cart={c} />
            <Text size="xs" c="dimmed">
              {date(c.updated_at)}
            </Text>
            <Reminder shop={shop} cart={c} date={date} />
          </Stack>
        )}
        nameOf={(c) => c.contact.email || say("noAddress")}
        empty={say("noCarts")}
        count={say("cartsCount", { n: carts.data?.total ?? 0 })}
      />
    </Stack>
  );
}

function Owner({ cart: { contact } }: { cart: Cart }) {
  const { say } = useWords(words);
  return (
    <Stack gap={0}>
      <Text size="sm" dir="auto">
        {contact.email || say("noAddress")}
      </Text>
      {contact.agreed && (
        <Text size="xs" c="dimmed">
          {say("mayRemind")}
        </Text>
      )}
    </Stack>
  );
}

function Goods({ cart }: { cart: Cart }) {
  return (
    <Text size="sm" c="dimmed" dir="auto" lineClamp={3}>
      {cart.items.map((l) => `${l.quantity} × ${l.name}`).join(", ")}
    </Text>
  );
}

function Reminder({ shop, cart, date }: { shop: string; cart: Cart; date: (at: string) => string }) {
  const { say } = useWords(words);
  if (cart.recovered_order_id)
    return (
      <AnchorLink to="/$shop/orders/$id" params={{ shop, id: cart.recovered_order_id }} size="sm">
        {say("recovered")}
      </AnchorLink>
    );
  return <Text size="sm">{cart.reminded_at ? say("remindedAt", { date: date(cart.reminded_at) }) : say("notReminded")}</Text>;
}
