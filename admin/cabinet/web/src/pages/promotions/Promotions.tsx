import { Card, Group, Select, Stack, Text, Title } from "@mantine/core";
import { IconPlus, IconReceipt2, IconStairsUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List, type Column } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import { promotionsQuery, setActive, type Promotion } from "./data";
import { fieldsOf } from "./fields";
import { kinds, pageSize, queryOf, stateOf, type PromotionSearch } from "./search";
import { clauses } from "./sentence";
import { StateBadge } from "./StateBadge";
import { Toggle } from "./Toggle";

const unnamed = { product: () => "…", section: () => "…", group: () => "…" }; // the list says no names

export function Promotions() {
  const { shop } = useParams({ from: "/$shop/promotions" });
  const search = useSearch({ from: "/$shop/promotions" });
  const navigate = useNavigate({ from: "/$shop/promotions" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(promotionsQuery(shop, search));
  useShownCall({ method: "GET", path: addressOf("/promotions", queryOf(search)) });
  const change = (part: Partial<PromotionSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const writes = passport?.capabilities.promotions_write ?? false;
  const store = passport?.store;
  const total = list.data?.total ?? 0;

  const name = (p: Promotion) => (
    <AnchorLink to="/$shop/promotions/$id" params={{ shop, id: p.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
      {p.name}
    </AnchorLink>
  );
  const what = (p: Promotion) => {
    if (!store) return "";
    const value = p.kind === "gift" ? undefined : clauses(fieldsOf(p, store), unnamed, store, language).find((c) => c.part === "value")?.text;
    return [say(`kind_${p.kind}`), value, p.code].filter(Boolean).join(" · ");
  };
  const when = (p: Promotion) =>
    [p.starts_at && say("fromTime", { time: dateText(p.starts_at, store?.timezone ?? "UTC", language) }), p.ends_at && say("untilTime", { time: dateText(p.ends_at, store?.timezone ?? "UTC", language) })].filter(Boolean).join(" ");
  const uses = (p: Promotion) => (p.limits.total === null ? p.used.toLocaleString(language) : `${p.used.toLocaleString(language)} / ${p.limits.total.toLocaleString(language)}`);
  const spent = (p: Promotion) => (store ? formatMoney(p.spent, store.currency, store.price_digits, language) : "");
  const columns: Column<Promotion>[] = [
    { key: "name", label: say("promotionName"), cell: name },
    { key: "what", label: say("kind"), cell: (p) => <Text size="sm">{what(p)}</Text> },
    { key: "when", label: say("part_time"), cell: (p) => <Text size="sm">{when(p) || "—"}</Text> },
    { key: "used", label: say("used"), end: true, cell: uses },
    { key: "spent", label: say("spent"), end: true, cell: spent },
    { key: "state", label: say("state"), cell: (p) => <StateBadge state={stateOf(p)} /> },
    ...(writes ? [{ key: "toggle", label: say("actions"), cell: (p: Promotion) => <Toggle item={p} list={[shop, "promotions"]} call={setActive} /> }] : []),
  ];

  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {say("promotions")}
        </Title>
        <Group gap="xs">
          <ButtonLink variant="default" to="/$shop/promotions/explain" params={{ shop }} leftSection={<IconReceipt2 size={16} />}>
            {say("priceOfProduct")}
          </ButtonLink>
          {passport?.capabilities.pricing_read && (
            <ButtonLink variant="default" to="/$shop/promotions/prices" params={{ shop }} leftSection={<IconStairsUp size={16} />}>
              {say("quantityPrices")}
            </ButtonLink>
          )}
          {writes && (
            <ButtonLink to="/$shop/promotions/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
              {say("newPromotion")}
            </ButtonLink>
          )}
        </Group>
      </Group>
      <Group gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("kind")}
          placeholder={say("kind")}
          data={kinds.map((value) => ({ value, label: say(`kind_${value}`) }))}
          value={search.kind ?? null}
          onChange={(v) => change({ kind: (v as PromotionSearch["kind"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 200px"
        />
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={[
            { value: "on", label: say("on") },
            { value: "off", label: say("off_state") },
          ]}
          value={search.active ?? null}
          onChange={(v) => change({ active: (v as PromotionSearch["active"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 140px"
        />
      </Group>
      <List
        query={list}
        items={list.data?.items ?? []}
        total={total}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(p) => (
          <Card withBorder padding="xs">
            <Stack gap={4}>
              <Group justify="space-between" align="flex-start" wrap="nowrap">
                {name(p)}
                <StateBadge state={stateOf(p)} />
              </Group>
              <Text size="sm" c="dimmed">
                {[what(p), when(p)].filter(Boolean).join(" · ")}
              </Text>
              <Group justify="space-between">
                <Text size="sm">
                  {say("used")}: {uses(p)} · {spent(p)}
                </Text>
                {writes && <Toggle item={p} list={[shop, "promotions"]} call={setActive} />}
              </Group>
            </Stack>
          </Card>
        )}
        nameOf={(p) => p.name}
        empty={say(search.q || search.kind || search.active ? "noPromotions" : "emptyPromotions")}
        count={say("promotionsCount", { n: total })}
      />
    </Stack>
  );
}
