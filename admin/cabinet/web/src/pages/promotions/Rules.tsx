import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List, type Column } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/prices";
import { rulesPage, rulesQuery, setRuleActive, type Rule } from "./data";
import { useNames } from "./names";
import { tierText } from "./ruleFields";
import { StateBadge } from "./StateBadge";
import { Toggle } from "./Toggle";

// Rules lists the prices that depend on the quantity.
export function Rules() {
  const { shop } = useParams({ from: "/$shop/promotions/prices" });
  const { page } = useSearch({ from: "/$shop/promotions/prices" });
  const navigate = useNavigate({ from: "/$shop/promotions/prices" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(rulesQuery(shop, page ?? 1));
  const items = list.data?.items ?? [];
  const total = list.data?.total ?? 0;
  const writes = passport?.capabilities.pricing_write ?? false;
  const shown = (r: Rule) => ({ sections: r.category_ids.map(String).slice(0, 3), products: r.product_ids.slice(0, 3) }); // the list says no more
  const names = useNames(shop, { sections: items.flatMap((r) => shown(r).sections), products: items.flatMap((r) => shown(r).products) });
  useShownCall({ method: "GET", path: addressOf("/pricing-rules", { "page.number": page ?? 1, "page.limit": rulesPage }) });

  const goods = (r: Rule) => {
    const some = [...shown(r).sections.map((id) => names.section(id) ?? say("deletedSection", { id })), ...shown(r).products.map((id) => names.product(id) ?? say("deletedProduct", { id }))];
    const more = r.category_ids.length + r.product_ids.length - some.length;
    return [...some, ...(more > 0 ? [say("andMore", { n: more })] : [])].join(", ");
  };
  const tiers = (r: Rule) => passport && r.tiers.map((t) => tierText(t, passport.store, language, say)).join("; ");
  const name = (r: Rule) => (
    <AnchorLink to="/$shop/promotions/prices/$id" params={{ shop, id: r.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
      {r.name}
    </AnchorLink>
  );
  const state = (r: Rule) => <StateBadge state={r.active ? "running" : "off"} />;
  const columns: Column<Rule>[] = [
    { key: "name", label: say("promotionName"), cell: name },
    {
      key: "goods",
      label: say("goods"),
      cell: (r) => (
        <Text size="sm" dir="auto">
          {goods(r)}
        </Text>
      ),
    },
    { key: "tiers", label: say("tiers"), cell: (r) => <Text size="sm">{tiers(r)}</Text> },
    { key: "state", label: say("state"), cell: state },
    ...(writes ? [{ key: "toggle", label: say("actions"), cell: (r: Rule) => <Toggle item={r} list={[shop, "pricing-rules"]} call={setRuleActive} /> }] : []),
  ];

  return (
    <Stack>
      <AnchorLink to="/$shop/promotions" params={{ shop }} size="sm" c="dimmed">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {say("promotions")}
        </Group>
      </AnchorLink>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {say("quantityPrices")}
        </Title>
        {writes && (
          <Group gap="xs">
            <ButtonLink variant="default" to="/$shop/promotions/$id" params={{ shop, id: "new" }} search={{ for: "group" }} leftSection={<IconUsers size={16} />}>
              {say("groupPrices")}
            </ButtonLink>
            <ButtonLink to="/$shop/promotions/prices/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
              {say("newRule")}
            </ButtonLink>
          </Group>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {say("ruleHint")}
      </Text>
      <List
        query={list}
        items={items}
        total={total}
        size={rulesPage}
        page={page}
        onPage={(n) => void navigate({ search: { page: n } })}
        columns={columns}
        card={(r) => (
          <Card withBorder padding="xs">
            <Stack gap={4}>
              <Group justify="space-between" align="flex-start" wrap="nowrap">
                {name(r)}
                {state(r)}
              </Group>
              <Text size="sm" c="dimmed" dir="auto">
                {goods(r)}
              </Text>
              <Group justify="space-between">
                <Text size="sm">{tiers(r)}</Text>
                {writes && <Toggle item={r} list={[shop, "pricing-rules"]} call={setRuleActive} />}
              </Group>
            </Stack>
          </Card>
        )}
        nameOf={(r) => r.name}
        empty={say("noRules")}
        count={say("rulesCount", { n: total })}
      />
    </Stack>
  );
}
