import { Card, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { home, pageSize, type RulesVersion } from "./data";
import { RedirectsHeading } from "./RedirectsHeading";
import { useVersionTexts } from "./who";

// Versions lists the changes of the rules.
export function Versions() {
  const { shop } = useParams({ from: "/$shop/redirects/versions" });
  const { page } = useSearch({ from: "/$shop/redirects/versions" });
  const navigate = useNavigate({ from: "/$shop/redirects/versions" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const query = { "page.number": page ?? 1, "page.limit": pageSize };
  const list = useQuery({
    queryKey: [shop, "redirects", "versions", query],
    queryFn: ({ signal }) => answer(api.GET("/storefront-redirects/versions", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
  useShownCall({ method: "GET", path: addressOf(home + "/versions", query) });
  const { who, what, counts } = useVersionTexts(shop);
  const when = (v: RulesVersion) => dateText(v.at, passport?.store.timezone ?? "UTC", language);
  const name = (v: RulesVersion) => (
    <AnchorLink to="/$shop/redirects/versions/$version" params={{ shop, version: v.version }} size="sm" fw={500} c="var(--mantine-color-text)">
      {say("version", { n: v.version })}
    </AnchorLink>
  );
  return (
    <Stack>
      <RedirectsHeading text={say("versionsText")} />
      <List
        query={list}
        items={(list.data?.result ?? []).map((v) => ({ ...v, id: v.version }))}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: { page } })}
        nameOf={(v) => say("version", { n: v.version })}
        empty={say("noVersions")}
        count={say("versionsCount", { n: list.data?.total ?? 0 })}
        columns={[
          { key: "version", label: say("versions"), cell: (v) => <Unbroken>{name(v)}</Unbroken> },
          { key: "when", label: say("when"), cell: (v) => <Unbroken>{when(v)}</Unbroken> },
          {
            key: "who",
            label: say("who"),
            cell: (v) => (
              <Text size="sm" dir="auto">
                {who(v)}
              </Text>
            ),
          },
          { key: "what", label: say("what"), cell: (v) => <Text size="sm">{what(v)}</Text> },
          { key: "counts", label: say("rules"), cell: (v) => <Text size="sm">{counts(v)}</Text> },
        ]}
        card={(v) => (
          <Card withBorder padding="xs">
            <Stack gap={2}>
              {name(v)}
              <Text size="sm">{what(v)}</Text>
              <Text size="xs" c="dimmed">
                {counts(v)}
              </Text>
              <Text size="xs" c="dimmed" dir="auto">
                {when(v)} · {who(v)}
              </Text>
            </Stack>
          </Card>
        )}
      />
    </Stack>
  );
}
