import { Badge, Button, Card, Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Pager } from "../../parts/Pager";
import { useWords, type Say, type WordOf } from "../../words";
import { words } from "../../words/redirects";
import { Address } from "../../parts/Address";
import { CirclePath } from "./CirclePath";
import { home, rollback } from "./data";
import { circleOf } from "./fields";
import ReplayList from "../../parts/ReplayList";
import { useVersionTexts } from "./who";

const size = 50;

// Version shows what one version changed, and restores the rules as they were after it.
export function Version() {
  const { shop, version } = useParams({ from: "/$shop/redirects/versions/$version" });
  const { page } = useSearch({ from: "/$shop/redirects/versions/$version" });
  const navigate = useNavigate({ from: "/$shop/redirects/versions/$version" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const query = { "page.number": page ?? 1, "page.limit": size };
  const read = useQuery({
    queryKey: [shop, "redirects", "version", version, query],
    queryFn: ({ signal }) => answer(api.GET("/storefront-redirects/versions/{version}", { params: { path: { version }, query }, signal })),
    enabled: /^\d+$/.test(version),
    placeholderData: keepPreviousData,
  });
  useShownCall({ method: "GET", path: addressOf(`${home}/versions/${version}`, query) });
  const { who, what, counts } = useVersionTexts(shop);
  const [asking, setAsking] = useState(false);
  if (!/^\d+$/.test(version)) return <Failure page error={null} />;
  if (read.isError && !read.data) return <Failure page error={read.error} retry={() => void read.refetch()} />;
  if (!read.data) return <Skeleton h={320} />;
  const v = read.data.result;
  const writes = (passport?.capabilities.redirects_write ?? false) && manages(passport);
  return (
    <Stack>
      <Heading
        back={{ to: "/$shop/redirects/versions", label: say("versions") }}
        title={say("version", { n: v.version })}
        state={
          <Text size="sm" c="dimmed" dir="auto">
            {[what(v), counts(v), dateText(v.at, passport?.store.timezone ?? "UTC", language), who(v)].filter(Boolean).join(" · ")}
          </Text>
        }
      >
        {writes && (
          <Button variant="default" leftSection={<IconHistory size={16} />} onClick={() => setAsking(true)}>
            {say("rollback")}
          </Button>
        )}
      </Heading>
      <Text size="sm" c="dimmed" aria-live="polite">
        {read.data.total > 0 ? say("editsCount", { n: read.data.total }) : say("noEdits")}
      </Text>
      <Stack gap="xs">
        {v.edits.map((e) => (
          <Edit key={e.rule_id} shop={shop} edit={e} />
        ))}
      </Stack>
      <Pager total={read.data.total} size={size} page={page} onPage={(page) => void navigate({ search: { page } })} />
      {asking && <Restore shop={shop} version={v.version} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

// Restore asks with what would change, and restores.
function Restore({ shop, version, onClose }: { shop: string; version: string; onClose: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { counts } = useVersionTexts(shop);
  const plan = useQuery({ queryKey: [shop, "redirects", "rollback", version], queryFn: () => rollback(version, true), staleTime: 0, gcTime: 0, retry: false });
  const run = useMutation({
    mutationFn: () => rollback(version, false),
    onSuccess: async () => {
      told(say, say("rolledBack", { n: version }));
      onClose();
      await queries.invalidateQueries({ queryKey: [shop, "redirects"] });
    },
    onError: (error) => failed(say, error),
  });
  const circle = circleOf(plan.error);
  const would = plan.data?.result;
  const nothing = would !== undefined && would.added + would.changed + would.removed === 0;
  return (
    <Ask title={`${say("rollback")}: ${say("version", { n: version })}`} text={say("rollbackText")} yes={say("rollback")} doing={run.isPending} onYes={would && !nothing ? () => run.mutate() : undefined} onClose={onClose}>
      <Stack gap="xs" mt="sm">
        {plan.isPending && <Text size="sm">{say("loading")}</Text>}
        {circle ? <CirclePath circle={circle} /> : plan.isError && <Failure error={plan.error} />}
        {would && <Text size="sm">{nothing ? say("rollbackNothing") : counts(would)}</Text>}
        {plan.data?.replay && !nothing && <ReplayList replay={plan.data.replay} />}
      </Stack>
    </Ask>
  );
}

type EditOf = { rule_id: string; edit: string; old?: Record<string, unknown>; new?: Record<string, unknown> };

const colours = { added: "teal", removed: "red", changed: "blue" } as const;

// Stored are the names of the columns of a rule, and how the form calls them.
const stored: Record<string, WordOf<typeof words>> = {
  kind: "kind",
  from_path: "from",
  to_target: "to",
  external: "external",
  code: "code",
  enabled: "enabled",
  override_live: "override_live",
  drop_query: "drop_query",
  query_match: "query_match",
  note: "note",
  sort_order: "field_sort_order",
};

function valueText(name: string, value: unknown, say: Say<WordOf<typeof words>>): string {
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (name === "kind" && `kind_${String(value)}` in words) return say(`kind_${String(value)}` as WordOf<typeof words>);
  return value === undefined || value === null || value === "" ? "—" : String(value);
}

function Edit({ shop, edit: e }: { shop: string; edit: EditOf }) {
  const { say } = useWords(words);
  const kind = e.edit as keyof typeof colours;
  const side = e.new ?? e.old ?? {};
  // A rule that was added or deleted is said in one line, a changed one field by field.
  const names = Object.keys({ ...e.old, ...e.new }).filter((name) => name in stored);
  const title = typeof side.from_path === "string" ? `${side.from_path} → ${String(side.to_target ?? "")}` : "";
  return (
    <Card withBorder padding="xs">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge color={colours[kind]} variant="light" tt="none" miw="max-content">
          {say(`diff_${kind}`)}
        </Badge>
        <Stack gap={4} flex={1} miw={0}>
          <Group gap="xs">
            {kind === "removed" ? (
              <Text size="sm">{say("ruleOf", { id: e.rule_id })}</Text>
            ) : (
              <AnchorLink to="/$shop/redirects/$id" params={{ shop, id: e.rule_id }} size="sm">
                {say("ruleOf", { id: e.rule_id })}
              </AnchorLink>
            )}
          </Group>
          {kind !== "changed" && title && <Address text={title} />}
          {kind === "changed" && (
            <Table verticalSpacing={2} fz="sm" withRowBorders={false}>
              <Table.Tbody>
                {names.map((name) => (
                  <Table.Tr key={name}>
                    <Table.Td c="dimmed" w="30%">
                      {say(stored[name]!)}
                    </Table.Td>
                    <Table.Td dir="auto" style={{ wordBreak: "break-word" }}>
                      <del>{valueText(name, e.old?.[name], say)}</del> → <ins>{valueText(name, e.new?.[name], say)}</ins>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Stack>
      </Group>
    </Card>
  );
}
