import { Autocomplete, Group, Pill, Select, Stack, Text } from "@mantine/core";
import { IconPlus, IconShoppingCartOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useShownCall } from "../../frame/Call";
import { manages, passportQuery, type Passport } from "../../frame/session";
import { addressOf, typing } from "../../parts/address";
import { useArrangement, viewsOf, type View } from "../../parts/arrangement";
import { dateText } from "../../parts/dates";
import { DayBox } from "../../parts/DayBox";
import { ExportButton } from "../../parts/ExportButton";
import { Heading } from "../../parts/Heading";
import { ButtonLink, CardLink } from "../../parts/links";
import { List, RowBadge, useSelection, type Column } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { RowLink } from "../../parts/RowLink";
import { SearchBox } from "../../parts/SearchBox";
import { Views } from "../../parts/Views";
import { useWords } from "../../words";
import { words } from "../../words/orders";
import { PaymentBadge, ShipmentBadge, StatusBadge } from "./Badges";
import { BulkBar } from "./BulkBar";
import { sellersQuery } from "../integrations/data";
import { countsQuery, deliveriesQuery, ordersQuery } from "./data";
import { exportOf, listOf, orderSearch, pageSize, paidOf, paymentStatuses, shipmentStatuses, sources, statuses, type Order, type OrderSearch } from "./search";

const readViews = (stored: Record<string, unknown>): { views: View<OrderSearch>[] } => ({ views: viewsOf(stored, orderSearch) });

export function Orders() {
  const { shop } = useParams({ from: "/$shop/orders" });
  const { data: passport } = useQuery(passportQuery(shop));
  return passport ? <Found shop={shop} passport={passport} /> : null;
}

function Found({ shop, passport }: { shop: string; passport: Passport }) {
  const search = useSearch({ from: "/$shop/orders" });
  const navigate = useNavigate({ from: "/$shop/orders" });
  const { say, language } = useWords(words);
  const { store, capabilities } = passport;
  const list = useQuery(ordersQuery(shop, search, store));
  const selection = useSelection<string>(search);
  const [{ views }, arrange] = useArrangement(shop, "orders", readViews);
  useShownCall({ method: "POST", path: "/orders", body: listOf(search, store.id, store.timezone) });

  const writes = capabilities.orders_write ?? false;
  const items = list.data?.items ?? [];
  const filtered = Object.entries(search).some(([name, value]) => value !== undefined && name !== "page" && name !== "sort");
  const when = (o: Order) => dateText(o.created_at, store.timezone, language);
  const columns: Column<Order>[] = [
    {
      key: "number",
      label: say("order"),
      cell: (o) => (
        <div className="row-stack">
          <RowLink to="/$shop/orders/$id" params={{ shop, id: o.id }}>
            {o.number}
          </RowLink>
          <span className="row-small">{when(o)}</span>
          <Unread order={o} />
        </div>
      ),
    },
    {
      key: "buyer",
      label: say("buyer"),
      cell: (o) => (
        <div className="row-stack row-buyer">
          <div className="row-lines" dir="auto">
            {o.contact.name}
          </div>
          <Tags order={o} />
        </div>
      ),
    },
    { key: "goods", label: say("goods"), cell: (o) => <Goods order={o} /> },
    { key: "total", label: say("total"), end: true, cell: (o) => formatMoney(o.grand_total, o.currency, store.price_digits, language) },
    { key: "status", label: say("state"), cell: (o) => <StatusBadge status={o.status} /> },
    { key: "payment", label: say("payment"), cell: (o) => <PaymentBadge status={paidOf(o)} /> },
    { key: "shipment", label: say("shipment"), cell: (o) => o.shipment_status !== "none" && <ShipmentBadge order={o} /> },
  ];

  return (
    <Stack>
      <Heading title={say("orders")}>
        <Views shop={shop} to="/$shop/orders" search={search} views={views} onChange={(views) => arrange({ views })} />
        <ExportButton label={say("exportCSV")} exports={addressOf("/orders/export", exportOf(search, store.timezone))} file="orders.csv" />
        <ButtonLink variant="default" to="/$shop/orders/carts" params={{ shop }} leftSection={<IconShoppingCartOff size={16} />}>
          {say("carts")}
        </ButtonLink>
        {writes && (
          <ButtonLink to="/$shop/orders/new" params={{ shop }} leftSection={<IconPlus size={16} />}>
            {say("newOrder")}
          </ButtonLink>
        )}
      </Heading>
      <Filters shop={shop} search={search} tags={items.flatMap((o) => o.tags ?? [])} onChange={(part) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: typing(part) })} />
      <List
        query={list}
        items={items}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(o) => (
          <CardLink withBorder padding="xs" to="/$shop/orders/$id" params={{ shop, id: o.id }}>
            <Stack gap={4} align="flex-start">
              <Group justify="space-between" w="100%" wrap="nowrap" align="flex-start">
                <Text size="sm" fw={600} dir="auto" lineClamp={2}>
                  {o.number} · {o.contact.name}
                </Text>
                <Text size="sm" fw={600} style={{ whiteSpace: "nowrap" }}>
                  {formatMoney(o.grand_total, o.currency, store.price_digits, language)}
                </Text>
              </Group>
              <Goods order={o} />
              <Text size="xs" c="dimmed">
                {when(o)}
              </Text>
              <Group gap={4}>
                <StatusBadge status={o.status} />
                <PaymentBadge status={paidOf(o)} />
                {o.shipment_status !== "none" && <ShipmentBadge order={o} />}
                <Unread order={o} />
              </Group>
              <Tags order={o} />
            </Stack>
          </CardLink>
        )}
        nameOf={(o) => say("orderNumber", { number: o.number })}
        selection={writes ? selection : undefined}
        empty={say(filtered ? "noOrders" : "emptyShop")}
        count={say("ordersCount", { n: list.data?.total ?? 0 })}
      />
      <BulkBar shop={shop} orders={items} selection={selection} />
    </Stack>
  );
}

function Unread({ order }: { order: Order }) {
  const { say } = useWords(words);
  if (order.unread === 0) return null;
  return <RowBadge color="orange">{say("unread", { n: order.unread })}</RowBadge>;
}

function Tags({ order }: { order: Order }) {
  if (!order.tags?.length) return null;
  return (
    <Group gap={4}>
      {order.tags.map((tag) => (
        <Pill key={tag} size="xs" dir="auto" maw="100%">
          {tag}
        </Pill>
      ))}
    </Group>
  );
}

const shownGoods = 2;

function Goods({ order }: { order: Order }) {
  const { say } = useWords(words);
  const more = order.items.length - shownGoods;
  return (
    <div className="row-lines" data-pale dir="auto">
      {order.items
        .slice(0, shownGoods)
        .map((l) => (l.quantity > 1 ? `${l.quantity} × ${l.name}` : l.name))
        .join(", ")}{" "}
      {more > 0 && say("moreGoods", { n: more })}
    </div>
  );
}

// Narrowed is a filter that a link brought, with the way out of it.
function Narrowed({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { say } = useWords(words);
  return (
    <div>
      <Pill size="lg" withRemoveButton removeButtonProps={{ "aria-label": `${say("clear")}: ${text}`, "aria-hidden": undefined, tabIndex: 0 }} onRemove={onRemove}>
        {text}
      </Pill>
    </div>
  );
}

// Filters are the states as tabs with their numbers, and what else narrows the list.
function Filters({ shop, search, tags, onChange }: { shop: string; search: OrderSearch; tags: string[]; onChange: (part: Partial<OrderSearch>) => void }) {
  const { say } = useWords(words);
  const { data: counts } = useQuery(countsQuery(shop, search));
  const { data: passport } = useQuery(passportQuery(shop));
  const { data: sellers } = useQuery({ ...sellersQuery(shop), enabled: search.platform !== undefined && manages(passport) });
  const [asked, ask] = useState(false);
  const { data: deliveries } = useQuery({ ...deliveriesQuery(shop), enabled: asked || search.delivery !== undefined });
  const [tag, setTag] = useState(search.tag ?? "");
  const all = counts && Object.values(counts.by_status).reduce((sum, n) => sum + n, 0);
  const numbered = (word: string, n: number | undefined) => (n === undefined ? word : `${word} · ${n}`);
  const clearable = { clearable: true, clearButtonProps: { "aria-label": say("clear") }, flex: "1 1 150px" } as const;
  return (
    <>
      <Group component="nav" gap={4} aria-label={say("state")}>
        {[undefined, ...statuses].map((status) => (
          <ButtonLink
            key={status ?? "all"}
            size="compact-md"
            variant={search.status === status ? "light" : "subtle"}
            color={search.status === status ? undefined : "gray"}
            c={search.status === status ? undefined : "var(--mantine-color-text)"}
            aria-current={search.status === status ? "true" : undefined}
            to="/$shop/orders"
            params={{ shop }}
            search={{ ...search, status, page: undefined }}
          >
            {numbered(say(status ?? "all"), status ? counts?.by_status[status] : all)}
          </ButtonLink>
        ))}
      </Group>
      {search.buyer !== undefined && <Narrowed text={say("ofBuyer")} onRemove={() => onChange({ buyer: undefined })} />}
      {search.platform !== undefined && <Narrowed text={say("ofAssistant", { name: sellers?.platforms.find((p) => p.id === String(search.platform))?.name ?? String(search.platform) })} onRemove={() => onChange({ platform: undefined })} />}
      {search.waits && <Narrowed text={say(`waits_${search.waits}`)} onRemove={() => onChange({ waits: undefined })} />}
      <Group gap="xs" align="flex-end">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => onChange({ q: q || undefined })} />
        <Select
          {...clearable}
          aria-label={say("payment")}
          placeholder={say("payment")}
          data={paymentStatuses.map((value) => ({ value, label: numbered(say(`payment_${value}`), counts?.by_payment[value]) }))}
          value={search.payment ?? null}
          onChange={(v) => onChange({ payment: (v as OrderSearch["payment"]) ?? undefined })}
        />
        <Select
          {...clearable}
          aria-label={say("shipment")}
          placeholder={say("shipment")}
          data={shipmentStatuses.map((value) => ({ value, label: numbered(say(`shipment_${value}`), counts?.by_shipment[value]) }))}
          value={search.shipment ?? null}
          onChange={(v) => onChange({ shipment: (v as OrderSearch["shipment"]) ?? undefined })}
        />
        <Select
          {...clearable}
          aria-label={say("delivery")}
          placeholder={say("delivery")}
          data={(deliveries ?? []).map((d) => ({ value: d.id, label: d.name }))}
          value={search.delivery ? String(search.delivery) : null}
          onDropdownOpen={() => ask(true)}
          onChange={(v) => onChange({ delivery: v ? Number(v) : undefined })}
        />
        <Select
          {...clearable}
          aria-label={say("source")}
          placeholder={say("source")}
          data={sources.map((value) => ({ value, label: say(`source_${value}`) }))}
          value={search.source ?? null}
          onChange={(v) => onChange({ source: (v as OrderSearch["source"]) ?? undefined })}
        />
        <Autocomplete
          {...clearable}
          aria-label={say("tag")}
          placeholder={say("tag")}
          data={[...new Set(tags)]}
          maxLength={64}
          value={tag}
          onChange={(value) => {
            setTag(value);
            if (value === "") onChange({ tag: undefined });
          }}
          onOptionSubmit={(value) => onChange({ tag: value })}
          onBlur={() => tag.trim() !== (search.tag ?? "") && onChange({ tag: tag.trim() || undefined })}
          onKeyDown={(e) => e.key === "Enter" && onChange({ tag: tag.trim() || undefined })}
        />
        <DayBox label={say("from")} value={search.from} onDay={(from) => onChange({ from })} flex="1 1 140px" />
        <DayBox label={say("to")} value={search.to} onDay={(to) => onChange({ to })} flex="1 1 140px" />
        <Select
          aria-label={say("sort")}
          data={[
            { value: "", label: say("newestFirst") },
            { value: "oldest", label: say("oldestFirst") },
            { value: "updated", label: say("updatedFirst") },
            { value: "largest", label: say("largestFirst") },
          ]}
          value={search.sort ?? ""}
          allowDeselect={false}
          onChange={(v) => onChange({ sort: (v || undefined) as OrderSearch["sort"] })}
          flex="1 1 170px"
        />
      </Group>
    </>
  );
}
