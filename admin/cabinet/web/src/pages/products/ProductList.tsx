import { Badge, Checkbox, Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import type { Passport } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { AnchorLink, CardLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import { Pager } from "../../parts/Pager";
import { Picture } from "../../parts/Picture";
import { treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { useArrangement } from "./arrangement";
import { BulkBar } from "./BulkBar";
import { shownColumns, listColumns, type ListColumn } from "./columns";
import { productsQuery } from "./data";
import { pageSize, queryOf, type Product, type ProductSearch } from "./search";

// ProductList is a page of products: a table, or cards where the window is narrow.
export function ProductList({ shop, search, passport }: { shop: string; search: ProductSearch; passport: Passport }) {
  const { say } = useWords(words);
  const navigate = useNavigate({ from: "/$shop/products" });
  const list = useQuery(productsQuery(shop, search));
  const narrow = useMediaQuery("(max-width: 48em)");
  const [selected, setSelected] = useState<number[]>([]);
  const key = JSON.stringify(search);
  useEffect(() => setSelected([]), [key]);
  useShownCall({ method: "GET", path: addressOf("/products", queryOf(search)) });

  const writes = passport.capabilities.catalog_write ?? false;
  const digits = passport.store.price_digits;
  const items = list.data?.items ?? [];
  const total = list.data?.total ?? 0;
  const filtered = Boolean(search.q || search.section || search.stock || search.state);
  return (
    <>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Stack gap="xs" aria-label={say("loading")}>
          {Array.from({ length: 8 }, (_, i) => (
            <Skeleton key={i} h={52} />
          ))}
        </Stack>
      ) : items.length === 0 ? (
        <Text py="xl" ta="center" c="dimmed">
          {say(filtered ? "noProducts" : "emptyShop")}
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" aria-live="polite">
            {say("productsFound", { n: total })}
          </Text>
          {narrow ? (
            <Stack gap="xs">
              {items.map((p) => (
                <ProductCard key={p.id} shop={shop} product={p} digits={digits} />
              ))}
            </Stack>
          ) : (
            <ProductTable shop={shop} items={items} digits={digits} selectable={writes} selected={selected} onSelect={setSelected} />
          )}
          <Pager total={total} size={pageSize} page={search.page} onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })} />
        </>
      )}
      {selected.length > 0 && <BulkBar shop={shop} selected={selected} deleted={search.state === "deleted"} onDone={() => setSelected([])} />}
    </>
  );
}

function stockText(p: Product, sold: string): string {
  if (p.stock_quantity === null || p.stock_quantity === undefined) return p.in_stock ? "—" : sold;
  return String(p.stock_quantity);
}

function StateBadge({ product: p }: { product: Product }) {
  const { say } = useWords(words);
  if (p.is_deleted) return <Badge color="red" tt="none" variant="light">{say("deleted")}</Badge>;
  if (!p.is_published) return <Badge color="gray" tt="none" variant="light">{say("hidden")}</Badge>;
  return <Badge tt="none" variant="light">{say("published")}</Badge>;
}

const numbers = new Set<ListColumn>(["price", "old_price", "stock"]);

function ProductTable({
  shop,
  items,
  digits,
  selectable,
  selected,
  onSelect,
}: {
  shop: string;
  items: Product[];
  digits: number;
  selectable: boolean;
  selected: number[];
  onSelect: (ids: number[]) => void;
}) {
  const { say, language } = useWords(words);
  const [arrangement] = useArrangement(shop);
  const shown = shownColumns(arrangement, "list");
  const columns = (Object.keys(listColumns) as ListColumn[]).filter((c) => shown.has(c));
  const sections = useQuery({ ...treeQuery(shop), enabled: shown.has("section") }).data;
  const all = items.every((p) => selected.includes(p.id));

  function cell(p: Product, column: ListColumn) {
    if (column === "price") return p.price ? formatMoney(p.price.price, p.price.currency, digits, language) : "—";
    if (column === "old_price") return p.price?.old_price ? formatMoney(p.price.old_price, p.price.currency, digits, language) : "";
    if (column === "stock") return stockText(p, say("outOfStock"));
    if (column === "state") return <StateBadge product={p} />;
    const text = column === "section" ? sections?.find((s) => s.id === p.category_id)?.name : column === "updated" ? new Date(p.updated_at).toLocaleDateString(language) : p[column];
    return (
      <Text size="sm" c="dimmed" dir="auto" truncate maw={200} title={text}>
        {text}
      </Text>
    );
  }
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {selectable && (
              <Table.Th w={40}>
                <Checkbox
                  aria-label={say("all")}
                  checked={all}
                  indeterminate={!all && selected.length > 0}
                  onChange={() => onSelect(all ? [] : items.map((p) => p.id))}
                />
              </Table.Th>
            )}
            <Table.Th>{say("productName")}</Table.Th>
            {columns.map((c) => (
              <Table.Th key={c} ta={numbers.has(c) ? "right" : undefined}>
                {say(listColumns[c])}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((p) => (
            <Table.Tr key={p.id} bg={selected.includes(p.id) ? "var(--mantine-primary-color-light)" : undefined}>
              {selectable && (
                <Table.Td>
                  <Checkbox
                    aria-label={p.name}
                    checked={selected.includes(p.id)}
                    onChange={(e) => onSelect(e.currentTarget.checked ? [...selected, p.id] : selected.filter((id) => id !== p.id))}
                  />
                </Table.Td>
              )}
              <Table.Td>
                <Group gap="sm" wrap="nowrap">
                  <Picture id={p.preview?.id} size={40} />
                  <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(p.id) }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                    {p.name}
                  </AnchorLink>
                </Group>
              </Table.Td>
              {columns.map((c) => (
                <Table.Td key={c} ta={numbers.has(c) ? "right" : undefined} style={numbers.has(c) ? { whiteSpace: "nowrap" } : undefined}>
                  {cell(p, c)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ProductCard({ shop, product: p, digits }: { shop: string; product: Product; digits: number }) {
  const { say, language } = useWords(words);
  return (
    <CardLink withBorder padding="xs" to="/$shop/products/$id" params={{ shop, id: String(p.id) }}>
      <Group wrap="nowrap" align="flex-start">
        <Picture id={p.preview?.id} size={56} />
        <Stack gap={2} miw={0}>
          <Text fw={500} size="sm" dir="auto" lineClamp={3}>
            {p.name}
          </Text>
          <Group gap="xs">
            {p.price && <Text size="sm">{formatMoney(p.price.price, p.price.currency, digits, language)}</Text>}
            <Text size="sm" c="dimmed">
              {say("stock")}: {stockText(p, say("outOfStock"))}
            </Text>
          </Group>
          <div>
            <StateBadge product={p} />
          </div>
        </Stack>
      </Group>
    </CardLink>
  );
}
