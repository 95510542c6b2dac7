import { Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery, type Passport } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { dateText } from "../../parts/dates";
import { List } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { useWords, type Say, type WordOf } from "../../words";
import { words } from "../../words/customers";
import { groupsQuery, mostGroups, type Group } from "./data";

// Groups is the list of the groups of customers.
export function Groups() {
  const { shop } = useParams({ from: "/$shop/customers/groups" });
  const { say, language } = useWords(words);
  const list = useQuery(groupsQuery(shop));
  const { data: passport } = useQuery(passportQuery(shop));
  useShownCall({ method: "GET", path: `/customer-groups?page.limit=${mostGroups}` });
  const items = list.data ?? [];
  const rule = (g: Group) => (passport ? ruleText(g, passport.store, say, language) : "");
  return (
    <Stack>
      <Heading back={{ to: "/$shop/customers", label: say("customers") }} title={say("groupsOfCustomers")}>
        {passport?.capabilities.customers_write && (
          <ButtonLink to="/$shop/customers/groups/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newGroup")}
          </ButtonLink>
        )}
      </Heading>
      <Text size="sm" c="dimmed">
        {say("groupsHelp")}
      </Text>
      <List
        query={list}
        items={items}
        total={items.length}
        size={mostGroups}
        page={undefined}
        onPage={() => {}}
        nameOf={(g) => g.name}
        empty={say("noGroups")}
        count={say("groupsCount", { n: items.length })}
        columns={[
          {
            key: "name",
            label: say("groupName"),
            cell: (g) => (
              <AnchorLink to="/$shop/customers/groups/$id" params={{ shop, id: g.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                {g.name}
              </AnchorLink>
            ),
          },
          { key: "rule", label: say("members"), cell: (g) => <Text size="sm">{rule(g)}</Text> },
          {
            key: "customers",
            label: say("customers"),
            cell: (g) => (
              <AnchorLink to="/$shop/customers" params={{ shop }} search={{ group: Number(g.id) }} size="sm">
                {say("show")}
              </AnchorLink>
            ),
          },
        ]}
        card={(g) => (
          <CardLink withBorder padding="xs" to="/$shop/customers/groups/$id" params={{ shop, id: g.id }}>
            <Text fw={500} size="sm" dir="auto" lineClamp={3}>
              {g.name}
            </Text>
            <Text size="sm" c="dimmed">
              {rule(g)}
            </Text>
          </CardLink>
        )}
      />
    </Stack>
  );
}

function ruleText({ rule }: Group, store: Passport["store"], say: Say<WordOf<typeof words>>, language: string): string {
  if (rule?.spent_more_than != null) return say("spentMoreThan", { sum: formatMoney(rule.spent_more_than, store.currency, store.price_digits, language) });
  if (rule?.ordered_since) return say("orderedSince", { date: dateText(rule.ordered_since, store.timezone, language) });
  return say("ruleHand");
}
