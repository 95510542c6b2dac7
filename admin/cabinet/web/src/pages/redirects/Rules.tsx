import { Button, Card, Group, Select, Stack, Text } from "@mantine/core";
import { IconDownload, IconPlus, IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { download } from "../../api/download";
import { useShownCall } from "../../frame/Call";
import { manages, passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List, Unbroken, useSelection, type Column } from "../../parts/List";
import { failed } from "../../parts/notice";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { Address } from "../../parts/Address";
import { found, home, pageSize, ruleSet, type Rule } from "./data";
import { RedirectsHeading } from "./RedirectsHeading";
import { RuleBadges } from "./RuleBadges";
import { RulesBar } from "./RulesBar";
import { kinds, states, type RuleSearch } from "./search";

// Rules lists the redirect rules in the order in which they are tried.
export function Rules() {
  const { shop } = useParams({ from: "/$shop/redirects" });
  const search = useSearch({ from: "/$shop/redirects" });
  const navigate = useNavigate({ from: "/$shop/redirects" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(ruleSet(shop));
  useShownCall({ method: "GET", path: home });
  const selection = useSelection<string>(search);
  const change = (part: Partial<RuleSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const get = useMutation({ mutationFn: () => download("/storefront-redirects/export", "redirects.csv"), onError: (error) => failed(say, error) });
  const rules = useMemo(() => found(list.data?.result ?? [], search), [list.data, search]);
  const first = ((search.page ?? 1) - 1) * pageSize;
  const shown = rules.slice(first, first + pageSize);
  const writes = (passport?.capabilities.redirects_write ?? false) && manages(passport);
  const zone = passport?.store.timezone ?? "UTC";
  const filtered = Boolean(search.q || search.kind || search.state);

  const from = (r: Rule) => (
    <Stack gap={2}>
      <AnchorLink to="/$shop/redirects/$id" params={{ shop, id: r.id }} c="var(--mantine-color-text)" fw={500}>
        <Address text={r.from_path + (r.query_match && "?" + r.query_match)} fw={500} miw={160} />
      </AnchorLink>
      {r.note && (
        <Text size="xs" c="dimmed" dir="auto" lineClamp={2}>
          {r.note}
        </Text>
      )}
    </Stack>
  );
  const hits = (r: Rule) => Number(r.hits ?? 0).toLocaleString(language);
  const columns: Column<Rule>[] = [
    { key: "from", label: say("from"), cell: from },
    { key: "to", label: say("to"), cell: (r) => <Address text={r.to_target} miw={160} /> },
    { key: "how", label: say("state"), cell: (r) => <RuleBadges rule={r} /> },
    { key: "hits", label: say("hits"), end: true, cell: hits },
    { key: "last", label: say("lastHit"), end: true, cell: (r) => <Unbroken>{dateText(r.last_hit_at ?? null, zone, language)}</Unbroken> },
  ];
  const counts = list.data && list.data.rules_limit !== 0 ? say("rulesOf", { n: list.data.result.length, limit: list.data.rules_limit }) : undefined;

  return (
    <Stack>
      <RedirectsHeading text={say("listText")}>
        <Button variant="default" leftSection={<IconDownload size={16} />} loading={get.isPending} onClick={() => get.mutate()}>
          {say("exportRules")}
        </Button>
        {writes && (
          <>
            <ButtonLink variant="default" to="/$shop/transfer" params={{ shop }} search={{ what: "redirects" }} leftSection={<IconUpload size={16} />}>
              {say("importRules")}
            </ButtonLink>
            <ButtonLink to="/$shop/redirects/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
              {say("newRule")}
            </ButtonLink>
          </>
        )}
      </RedirectsHeading>
      <Group gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("kind")}
          placeholder={say("kind")}
          data={kinds.map((value) => ({ value, label: say(`kind_${value}`) }))}
          value={search.kind ?? null}
          onChange={(v) => change({ kind: (v as RuleSearch["kind"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 180px"
        />
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={states.map((value) => ({ value, label: say(value) }))}
          value={search.state ?? null}
          onChange={(v) => change({ state: (v as RuleSearch["state"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 180px"
        />
      </Group>
      <List
        query={list}
        items={shown}
        total={rules.length}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(r) => (
          <Card withBorder padding="xs">
            <Stack gap={4}>
              {from(r)}
              <Address text={"→ " + r.to_target} c="dimmed" />
              <Group justify="space-between">
                <RuleBadges rule={r} />
                <Text size="sm">
                  {say("hits")}: {hits(r)}
                </Text>
              </Group>
            </Stack>
          </Card>
        )}
        nameOf={(r) => r.from_path}
        selection={writes ? selection : undefined}
        empty={say(filtered ? "noMatch" : "noRules")}
        count={[say("rulesCount", { n: rules.length }), counts].filter(Boolean).join(" · ")}
      />
      {writes && <RulesBar shop={shop} rules={shown} selection={selection} />}
    </Stack>
  );
}
