import { ActionIcon, Group as Row, Select, Stack, Text } from "@mantine/core";
import { IconPlus, IconSortAscending, IconSortDescending, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf, oneOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { ExportButton } from "../../parts/ExportButton";
import { Heading } from "../../parts/Heading";
import { ButtonLink, CardLink } from "../../parts/links";
import { List, RowBadge, useSelection, type Column } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { RowLink } from "../../parts/RowLink";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/customers";
import { customersQuery, groupsQuery, type Customer } from "./data";
import { GroupBar } from "./GroupBar";
import { pageSize, queryOf, reversed, sorts, type CustomerSearch } from "./search";

export function Customers() {
  const { shop } = useParams({ from: "/$shop/customers" });
  const search = useSearch({ from: "/$shop/customers" });
  const navigate = useNavigate({ from: "/$shop/customers" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(customersQuery(shop, search));
  const { data: groups = [] } = useQuery(groupsQuery(shop));
  const selection = useSelection<string>(search);
  const query = queryOf(search);
  useShownCall({ method: "GET", path: addressOf("/customers", query) });

  const change = (part: Partial<CustomerSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const writes = passport?.capabilities.customers_write ?? false;
  const items = list.data?.items ?? [];
  const ascending = search.order ? search.order === "asc" : search.sort === "name";
  const money = (n: number) => (passport ? formatMoney(n, passport.store.currency, passport.store.price_digits, language) : "");
  const last = (c: Customer) => (c.last_order_at ? dateText(c.last_order_at, passport?.store.timezone ?? "UTC", language) : say("never"));
  const nameOf = (c: Customer) => c.name || c.email || say("noName");
  const groupNames = (c: Customer) => groups.filter((g) => c.group_ids.includes(g.id)).map((g) => g.name);
  const columns: Column<Customer>[] = [
    {
      key: "name",
      label: say("customer"),
      cell: (c) => (
        <>
          <RowLink to="/$shop/customers/$id" params={{ shop, id: c.id }}>
            {nameOf(c)}
          </RowLink>
          <div className="row-contact">{[c.name && c.email, c.phone].filter(Boolean).join(" · ")}</div>
        </>
      ),
    },
    {
      key: "groups",
      label: say("groups"),
      cell: (c) => (
        <div className="row-badges">
          {groupNames(c).map((name) => (
            <RowBadge key={name}>{name}</RowBadge>
          ))}
        </div>
      ),
    },
    { key: "orders", label: say("orders"), end: true, cell: (c) => c.orders },
    { key: "spent", label: say("spent"), end: true, cell: (c) => money(c.spent) },
    { key: "last", label: say("lastOrder"), cell: (c) => last(c) },
  ];

  return (
    <Stack>
      <Heading title={say("customers")}>
        <ExportButton label={say("exportCSV")} exports={addressOf("/customers/export", { "filter.query": query["filter.query"], "filter.group_id": query["filter.group_id"] })} file="customers.csv" />
        <ButtonLink variant="default" to="/$shop/customers/groups" params={{ shop }} leftSection={<IconUsersGroup size={16} />}>
          {say("groups")}
        </ButtonLink>
        {writes && (
          <ButtonLink to="/$shop/customers/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newCustomer")}
          </ButtonLink>
        )}
      </Heading>
      <Row gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("group")}
          placeholder={say("group")}
          data={groups.map((g) => ({ value: g.id, label: g.name }))}
          value={search.group ? String(search.group) : null}
          onChange={(v) => change({ group: v ? Number(v) : undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          nothingFoundMessage={say("nothingFound")}
          flex="1 1 180px"
        />
        <Row gap={4} wrap="nowrap" flex="1 1 220px">
          <Select
            aria-label={say("sort")}
            data={sorts.map((value) => ({ value, label: say(`sort_${value}`) }))}
            value={search.sort ?? "created_at"}
            allowDeselect={false}
            onChange={(v) => change({ sort: v === "created_at" ? undefined : oneOf(sorts, v), order: undefined })}
            flex={1}
          />
          <ActionIcon variant="default" size={36} aria-label={say("reverse")} aria-pressed={Boolean(search.order)} onClick={() => change({ order: reversed(search) })}>
            {ascending ? <IconSortAscending size={18} /> : <IconSortDescending size={18} />}
          </ActionIcon>
        </Row>
      </Row>
      <List
        query={list}
        items={items}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        nameOf={nameOf}
        selection={writes ? selection : undefined}
        empty={say(search.q || search.group ? "noMatch" : "noCustomers")}
        count={say("customersCount", { n: list.data?.total ?? 0 })}
        card={(c) => (
          <CardLink withBorder padding="xs" to="/$shop/customers/$id" params={{ shop, id: c.id }}>
            <Text fw={500} size="sm" dir="auto" lineClamp={3}>
              {nameOf(c)}
            </Text>
            <Text size="sm" c="dimmed" dir="auto">
              {[c.name && c.email, c.phone].filter(Boolean).join(" · ")}
            </Text>
            <Text size="sm">{[say("ordersCount", { n: c.orders }), money(c.spent), c.last_order_at && last(c)].filter(Boolean).join(" · ")}</Text>
            {groupNames(c).length > 0 && (
              <Text size="sm" c="dimmed" dir="auto" lineClamp={2}>
                {groupNames(c).join(", ")}
              </Text>
            )}
          </CardLink>
        )}
      />
      {writes && <GroupBar shop={shop} customers={items.filter((c) => selection.ids.includes(c.id))} groups={groups.filter((g) => !g.rule)} nameOf={nameOf} onDone={() => selection.set([])} />}
    </Stack>
  );
}
