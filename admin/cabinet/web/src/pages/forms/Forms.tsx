import { Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { List } from "../../parts/List";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/forms";
import { formsQuery } from "./data";

const pageSize = 50;

// Forms lists the forms of the shop.
export function Forms() {
  const { shop } = useParams({ from: "/$shop/forms" });
  const { q, page } = useSearch({ from: "/$shop/forms" });
  const navigate = useNavigate({ from: "/$shop/forms" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(formsQuery(shop));
  useShownCall({ method: "GET", path: "/forms" });
  const found = (list.data ?? []).filter((f) => !q || f.name.toLowerCase().includes(q.toLowerCase()));
  const first = ((page ?? 1) - 1) * pageSize;
  const zone = passport?.store.timezone ?? "UTC";

  return (
    <Stack>
      <Heading title={say("forms")}>
        {passport?.capabilities.forms_write && (
          <ButtonLink to="/$shop/forms/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newForm")}
          </ButtonLink>
        )}
      </Heading>
      <Group>
        <SearchBox key={shop} value={q ?? ""} onSearch={(q) => void navigate({ search: { q: q || undefined }, replace: true })} />
      </Group>
      <List
        query={list}
        items={found.slice(first, first + pageSize)}
        total={found.length}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={(f) => f.name}
        empty={say(q ? "noneMatches" : "noForms")}
        count={say("formsCount", { n: found.length })}
        columns={[
          {
            key: "name",
            label: say("formName"),
            cell: (f) => (
              <AnchorLink to="/$shop/forms/$id" params={{ shop, id: f.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                {f.name}
              </AnchorLink>
            ),
          },
          { key: "fields", label: say("fields"), end: true, cell: (f) => f.fields.length },
          { key: "leads", label: say("leads"), end: true, cell: (f) => f.leads },
          { key: "changed", label: say("changed"), end: true, cell: (f) => dateText(f.updated_at, zone, language) },
        ]}
        card={(f) => (
          <CardLink withBorder padding="xs" to="/$shop/forms/$id" params={{ shop, id: f.id }}>
            <Text size="sm" fw={500} dir="auto">
              {f.name}
            </Text>
            <Text size="sm" c="dimmed">
              {say("fieldsCount", { n: f.fields.length })} · {say("leadsCount", { n: f.leads })}
            </Text>
          </CardLink>
        )}
      />
    </Stack>
  );
}
