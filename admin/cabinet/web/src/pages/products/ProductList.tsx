import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useShownCall } from "../../frame/Call";
import type { Passport } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { CardLink } from "../../parts/links";
import { List, RowBadge, RowText, useSelection, type Column } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { Picture } from "../../parts/Picture";
import { RowLink } from "../../parts/RowLink";
import { treeQuery, type Section } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { useArrangement } from "./arrangement";
import { BulkBar } from "./BulkBar";
import { shownColumns, listColumns, type ListColumn } from "./columns";
import { productsQuery } from "./data";
import { pageSize, queryOf, type Product, type ProductSearch } from "./search";

// ProductList is a page of products: a table, or cards where the window is narrow.
export function ProductList({ shop, search, passport }: { shop: string; search: ProductSearch; passport: Passport }) {
  const { say, language } = useWords(words);
  const navigate = useNavigate({ from: "/$shop/products" });
  const list = useQuery(productsQuery(shop, search));
  const selection = useSelection(search);
  useShownCall({ method: "GET", path: addressOf("/products", queryOf(search)) });

  const writes = passport.capabilities.catalog_write ?? false;
  const digits = passport.store.price_digits;
  const filtered = Boolean(search.q || search.section || search.stock || search.state);
  const [arrangement] = useArrangement(shop);
  const shown = useMemo(() => shownColumns(arrangement, "list"), [arrangement]);
  const sections = useQuery({ ...treeQuery(shop), select: namesOf, enabled: shown.has("section") }).data;

  const columns = useMemo((): Column<Product>[] => {
    function cell(p: Product, column: ListColumn) {
      if (column === "price") return p.price ? formatMoney(p.price.price, p.price.currency, digits, language) : "—";
      if (column === "old_price") return p.price?.old_price ? formatMoney(p.price.old_price, p.price.currency, digits, language) : "";
      if (column === "stock") return stockText(p, say("outOfStock"));
      if (column === "state") return <StateBadge product={p} />;
      return <RowText>{column === "section" ? sections?.get(p.category_id) : column === "updated" ? new Date(p.updated_at).toLocaleDateString(language) : p[column]}</RowText>;
    }
    return [
      {
        key: "name",
        label: say("productName"),
        cell: (p) => (
          <div className="row-head">
            <Picture id={p.preview?.id} size={40} />
            <RowLink to="/$shop/products/$id" params={{ shop, id: String(p.id) }}>
              {p.name}
            </RowLink>
          </div>
        ),
      },
      ...(Object.keys(listColumns) as ListColumn[])
        .filter((c) => shown.has(c))
        .map((c) => ({ key: c, label: say(listColumns[c]), end: numbers.has(c), cell: (p: Product) => cell(p, c) })),
    ];
  }, [shop, say, language, digits, shown, sections]);
  const total = list.data?.total ?? 0;
  return (
    <>
      <List
        query={list}
        items={list.data?.items ?? []}
        total={total}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(p) => <ProductCard shop={shop} product={p} digits={digits} />}
        nameOf={(p) => p.name}
        selection={writes ? selection : undefined}
        empty={say(filtered ? "noProducts" : "emptyShop")}
        count={say("productsFound", { n: total })}
      />
      <BulkBar shop={shop} selection={selection} deleted={search.state === "deleted"} />
    </>
  );
}

function stockText(p: Product, sold: string): string {
  if (p.stock_quantity === null || p.stock_quantity === undefined) return p.in_stock ? "—" : sold;
  return String(p.stock_quantity);
}

function StateBadge({ product: p }: { product: Product }) {
  const { say } = useWords(words);
  if (p.is_deleted) return <RowBadge color="red">{say("deleted")}</RowBadge>;
  return p.is_published ? <RowBadge>{say("published")}</RowBadge> : <RowBadge color="gray">{say("hidden")}</RowBadge>;
}

const namesOf = (sections: Section[]) => new Map(sections.map((s) => [s.id, s.name]));
const numbers = new Set<ListColumn>(["price", "old_price", "stock"]);

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
