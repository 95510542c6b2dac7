import { Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { List } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/policies";
import { pageOf, pageSize, policiesQuery, type PolicyView } from "./data";

// Policies lists the closed parts of the shop.
export function Policies() {
  const { shop } = useParams({ from: "/$shop/policies" });
  const { page } = useSearch({ from: "/$shop/policies" });
  const navigate = useNavigate({ from: "/$shop/policies" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(policiesQuery(shop, page));
  useShownCall({ method: "GET", path: addressOf("/access-policies", pageOf(page)) });
  const total = list.data?.total ?? 0;

  const who = (p: PolicyView) => (p.kind === "password" ? `${say("kind_password")} · ${say("passwordsCount", { n: p.passwords.length })}` : say(`kind_${p.kind}`));
  const what = (p: PolicyView) => (
    <Text size="sm" c="dimmed" dir="auto" lineClamp={2}>
      {p.resources.map((r) => r.name).join(", ") || say("nothingClosed")}
    </Text>
  );
  return (
    <Stack>
      <Heading title={say("policies")}>
        {passport?.capabilities.access_write && (
          <ButtonLink to="/$shop/policies/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newPolicy")}
          </ButtonLink>
        )}
      </Heading>
      <List
        query={list}
        items={list.data?.items ?? []}
        total={total}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: { page } })}
        nameOf={(p) => p.name}
        empty={say("noPolicies")}
        count={say("policiesCount", { n: total })}
        columns={[
          {
            key: "name",
            label: say("name"),
            cell: (p) => (
              <AnchorLink to="/$shop/policies/$id" params={{ shop, id: p.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                {p.name}
              </AnchorLink>
            ),
          },
          { key: "what", label: say("what"), cell: what },
          { key: "who", label: say("who"), cell: (p) => <Text size="sm">{who(p)}</Text> },
        ]}
        card={(p) => (
          <CardLink withBorder padding="xs" to="/$shop/policies/$id" params={{ shop, id: p.id }}>
            <Text size="sm" fw={500} dir="auto">
              {p.name}
            </Text>
            {what(p)}
            <Text size="sm">{who(p)}</Text>
          </CardLink>
        )}
      />
    </Stack>
  );
}
