import { Badge, Button, Card, Code, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf, typing } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { DayBox } from "../../parts/DayBox";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { membersQuery } from "../../parts/shop";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/team";
import { TeamHeading } from "./TeamHeading";
import { pageSize, queryOf, type AuditSearch } from "./search";

type Entry = Schemas["StoreAuditEntry"];

// deedOf says what a call did: in words of its own, or by its method and what its path is about.
function deedOf({ method, path }: Entry): WordOf<typeof words>[] {
  const known = (word: string) => (word in words ? [word as WordOf<typeof words>] : []);
  const own = known(`${method} ${path}`);
  if (own.length > 0) return own;
  const [noun, ...rest] = path.replace(/^\/(v1\/)?(account\/)?/, "").split("/");
  return [...known(`did_${method === "POST" && rest.length === 0 ? "add" : method}`), ...known(`of_${noun}`)];
}

// Audit lists who changed what in the shop.
export function Audit() {
  const { shop } = useParams({ from: "/$shop/team/audit" });
  const search = useSearch({ from: "/$shop/team/audit" });
  const navigate = useNavigate({ from: "/$shop/team/audit" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const zone = passport?.store.timezone ?? "UTC";
  const { data: members } = useQuery(membersQuery(shop));
  const query = queryOf(search, zone);
  const list = useQuery({
    queryKey: [shop, "audit", query],
    queryFn: ({ signal }) => answer(api.GET("/audit", { params: { query }, signal })),
    enabled: passport !== undefined,
  });
  useShownCall({ method: "GET", path: addressOf("/audit", query) });

  const change = (part: Partial<AuditSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: typing(part) });
  const filtered = Boolean(search.person || search.key || search.path || search.since);
  const names = new Map(members?.result.map((m) => [m.user_id, m.name || m.email]));
  const nameOf = (id: number) => names.get(id) ?? say(id === 0 ? "program" : "formerMember", { id });
  const time = (e: Entry) => dateText(e.at, zone, language);
  const what = (e: Entry) => [...deedOf(e).map((word) => say(word)), ...Object.values(e.entities)].join(" · ");
  const call = (e: Entry) => (
    <AnchorLink to="." search={{ ...search, page: undefined, path: e.path }} size="sm" title={say("onlyCall")}>
      <Code>{`${e.method} ${e.path}`}</Code>
    </AnchorLink>
  );
  const who = (e: Entry) => (
    <Stack gap={0} miw={0}>
      <Text size="sm" dir="auto">
        {nameOf(e.user_id)}
      </Text>
      {e.key_id !== "0" && (
        <AnchorLink to="." search={{ ...search, page: undefined, key: Number(e.key_id) }} size="sm" title={say("onlyKey")}>
          {say("byKey", { id: e.key_id })}
        </AnchorLink>
      )}
    </Stack>
  );
  const done = (e: Entry) => (
    <Group gap="xs">
      <Text size="sm">{what(e)}</Text>
      {e.contour === "dev" && (
        <Badge tt="none" variant="light">
          {say("inDraft")}
        </Badge>
      )}
    </Group>
  );
  return (
    <Stack>
      <TeamHeading />
      <Text size="sm" c="dimmed">
        {say("auditText")}
      </Text>
      <Group gap="xs" align="flex-end">
        <Select
          label={say("person")}
          placeholder={say("anybody")}
          data={[...names].map(([id, label]) => ({ value: String(id), label }))}
          value={search.person ? String(search.person) : null}
          onChange={(v) => change({ person: v ? Number(v) : undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          nothingFoundMessage={say("nothingFound")}
          flex="1 1 200px"
        />
        <DayBox label={say("from")} value={search.since} onDay={(since) => change({ since })} flex="1 1 140px" />
        {search.path && (
          <Button variant="default" onClick={() => change({ path: undefined })}>
            {search.path} ×
          </Button>
        )}
        {search.key && (
          <Button variant="default" onClick={() => change({ key: undefined })}>
            {say("byKey", { id: search.key })} ×
          </Button>
        )}
        {filtered && (
          <ButtonLink variant="subtle" to="." search={{}}>
            {say("noFilter")}
          </ButtonLink>
        )}
      </Group>
      <List
        query={list}
        items={list.data?.result ?? []}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={what}
        empty={say(filtered ? "noMatch" : "noEntries")}
        count={say("entriesCount", { n: list.data?.total ?? 0 })}
        columns={[
          { key: "when", label: say("when"), cell: (e) => <Unbroken>{time(e)}</Unbroken> },
          { key: "who", label: say("person"), cell: who },
          { key: "what", label: say("what"), cell: done },
          { key: "call", label: say("call"), cell: call },
        ]}
        card={(e) => (
          <Card withBorder padding="xs">
            <Stack gap={4} align="flex-start">
              {done(e)}
              <Group gap="xs">
                {who(e)}
                <Text size="sm" c="dimmed">
                  {time(e)}
                </Text>
              </Group>
              {call(e)}
            </Stack>
          </Card>
        )}
      />
    </Stack>
  );
}
