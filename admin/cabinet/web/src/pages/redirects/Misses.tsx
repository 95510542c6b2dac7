import { Button, Card, Group, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { IconArrowRight, IconCheck, IconEyeOff } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { manages, passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { BulkBar } from "../../parts/BulkBar";
import { dateText } from "../../parts/dates";
import { each } from "../../parts/each";
import { AnchorLink } from "../../parts/links";
import { List, Unbroken, useSelection, type Column } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { lead, type Led } from "../../parts/redirects";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { Address } from "../../parts/Address";
import { home, missesQuery, missQueryOf, pageSize, type Miss } from "./data";
import { Fallback } from "./Fallback";
import { RedirectsHeading } from "./RedirectsHeading";
import { reasonIn } from "./reason";
import type { MissSearch } from "./search";

const RedirectDialog = lazy(() => import("../../parts/RedirectDialog"));

const least = [10, 100, 1000];

// Misses lists the addresses that were not found. One click leads visitors to the page that is
// proposed, and the row says so.
export function Misses() {
  const { shop } = useParams({ from: "/$shop/redirects/misses" });
  const search = useSearch({ from: "/$shop/redirects/misses" });
  const navigate = useNavigate({ from: "/$shop/redirects/misses" });
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery({ ...missesQuery(shop, search), placeholderData: keepPreviousData });
  useShownCall({ method: "GET", path: addressOf(home + "/misses", missQueryOf(search)) });
  const selection = useSelection<string>(search);
  const [led, setLed] = useState<Record<string, Led>>({});
  const [choosing, setChoosing] = useState<string>();
  const fresh = useRef<string>(undefined); // the address whose button has just given way to its result
  useEffect(() => {
    if (fresh.current === undefined) return;
    document.querySelector<HTMLElement>(`[data-made="${CSS.escape(fresh.current)}"] a`)?.focus();
    fresh.current = undefined;
  }, [led]);
  const change = (part: Partial<MissSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const writes = (passport?.capabilities.redirects_write ?? false) && manages(passport);
  const zone = passport?.store.timezone ?? "UTC";
  const misses = list.data?.result ?? [];
  const total = list.data?.total ?? 0;
  const filtered = Boolean(search.q || search.min);

  // made remembers what the rows of this page made, and that the rules are others now.
  function made(path: string, l: Led | undefined) {
    setLed(({ [path]: _, ...others }) => (l ? { ...others, [path]: l } : others));
    void queries.invalidateQueries({ queryKey: [shop, "redirects"] });
  }
  const refused = (error: unknown, path: string) => failed(say, error instanceof Refusal && error.code.startsWith("REDIRECT") ? new Error(reasonIn(say)(error)) : error, path.slice(0, 100));
  const make = useMutation({
    mutationFn: ({ path, suggestion }: Miss) => lead({ path }, suggestion!.to),
    onSuccess: (l, { path }) => {
      made(path, l);
      fresh.current = path;
    },
    onError: (error, { path }) => refused(error, path),
  });
  const undo = useMutation({ mutationFn: (path: string) => led[path]!.undo(), onSuccess: (_, path) => made(path, undefined), onError: (error) => failed(say, error) });

  async function hide(paths: string[], unhide: boolean) {
    await answer(api.POST("/storefront-redirects/misses/hide", { body: { paths, unhide } }));
    await queries.invalidateQueries({ queryKey: [shop, "misses"] });
  }
  const hiding = useMutation({
    mutationFn: (paths: string[]) => hide(paths, search.hidden ?? false),
    onSuccess: (_, paths) => {
      selection.set([]);
      told(say, say(search.hidden ? "missesShown" : "missesHidden", { n: paths.length }), () => hide(paths, !search.hidden));
    },
    onError: (error) => failed(say, error),
  });

  function proposal(m: Miss) {
    const l = led[m.path];
    if (l)
      return (
        <Group gap="xs" miw={260} data-made={m.path}>
          <Group gap={4} wrap="nowrap" align="flex-start">
            <IconCheck size={16} color="var(--mantine-color-teal-filled)" style={{ flex: "none", marginTop: 2 }} aria-hidden />
            <Address text={say("leads", { to: l.to })} />
          </Group>
          <AnchorLink to="/$shop/redirects/$id" params={{ shop, id: l.ids[0]! }} size="sm">
            {say("openRule")}
          </AnchorLink>
          <Button size="compact-xs" variant="default" aria-label={`${say("undo")}: ${m.path}`} loading={undo.isPending && undo.variables === m.path} onClick={() => undo.mutate(m.path)}>
            {say("undo")}
          </Button>
        </Group>
      );
    if (m.answers !== 404)
      return (
        <AnchorLink to="/$shop/redirects/check" params={{ shop }} search={{ url: m.path }} size="sm">
          {say("answersAlready", { code: m.answers })}
        </AnchorLink>
      );
    return (
      <Stack gap={2} align="flex-start" miw={260}>
        {m.suggestion ? (
          <>
            {writes ? (
              <Button
                size="compact-sm"
                variant="light"
                leftSection={<IconArrowRight size={14} />}
                loading={make.isPending && make.variables.path === m.path}
                h="auto"
                mih={26}
                py={2}
                styles={{ label: { whiteSpace: "normal", textAlign: "left", fontWeight: 500 } }}
                aria-label={`${say("leadTo", { to: m.suggestion.to })}: ${m.path}`}
                onClick={() => make.mutate(m)}
              >
                {say("leadTo", { to: m.suggestion.to })}
              </Button>
            ) : (
              <Address text={m.suggestion.to} />
            )}
            <Text size="xs" c="dimmed">
              {say(`reason_${m.suggestion.reason}`)}
            </Text>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {say("noSuggestion")}
          </Text>
        )}
      </Stack>
    );
  }
  const actions = (m: Miss) =>
    writes && (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        {!led[m.path] && m.answers === 404 && (
          <Button size="compact-sm" variant="default" aria-label={`${say(m.suggestion ? "chooseOther" : "chooseTarget")}: ${m.path}`} onClick={() => setChoosing(m.path)}>
            {say(m.suggestion ? "chooseOther" : "chooseTarget")}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconEyeOff size={14} />} aria-label={`${say(search.hidden ? "unhide" : "hide")}: ${m.path}`} onClick={() => hiding.mutate([m.path])}>
          {say(search.hidden ? "unhide" : "hide")}
        </Button>
      </Group>
    );
  const hits = (m: Miss) => Number(m.hits).toLocaleString(language);
  const columns: Column<Miss & { id: string }>[] = [
    { key: "path", label: say("addressOf"), cell: (m) => <Address text={m.path} fw={500} miw={160} /> },
    { key: "hits", label: say("asks"), end: true, cell: hits },
    { key: "last", label: say("lastSeen"), end: true, cell: (m) => <Unbroken>{dateText(m.last_hit_at, zone, language)}</Unbroken> },
    { key: "to", label: say("to"), cell: proposal },
    ...(writes ? [{ key: "actions", label: say("actions"), end: true, cell: actions }] : []),
  ];
  const selected = misses.filter((m) => selection.ids.includes(m.path));
  const open = selected.filter((m) => m.suggestion && m.answers === 404 && !led[m.path]);

  return (
    <Stack>
      <RedirectsHeading text={say("missesText")} />
      <Group gap="xs">
        <SegmentedControl
          aria-label={say("state")}
          data={[
            { value: "open", label: say("openOnes") },
            { value: "hidden", label: say("hiddenOnes") },
          ]}
          value={search.hidden ? "hidden" : "open"}
          onChange={(v) => change({ hidden: v === "hidden" ? true : undefined })}
        />
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("atLeast")}
          placeholder={say("anyTimes")}
          data={least.map((n) => ({ value: String(n), label: `${say("atLeast")}: ${say("times", { n })}` }))}
          value={search.min ? String(search.min) : null}
          onChange={(v) => change({ min: v ? Number(v) : undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="0 1 240px"
        />
      </Group>
      <List
        query={list}
        items={misses.map((m) => ({ ...m, id: m.path }))}
        total={total}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(m) => (
          <Card withBorder padding="xs">
            <Stack gap={6}>
              <Address text={m.path} fw={500} />
              <Text size="xs" c="dimmed">
                {say("times", { n: Number(m.hits) })} · {dateText(m.last_hit_at, zone, language)}
              </Text>
              {proposal(m)}
              {actions(m)}
            </Stack>
          </Card>
        )}
        nameOf={(m) => m.path}
        selection={writes ? selection : undefined}
        empty={say(filtered || search.hidden ? "noMissMatch" : "noMisses")}
        count={say("missesCount", { n: total })}
      />
      <Fallback shop={shop} locked={!writes} />
      {writes && (
        <BulkBar
          count={selected.length}
          willChange={(n) => say("willLead", { n })}
          actions={[
            {
              key: "lead",
              label: say("followSuggestions"),
              effect: () => Promise.resolve({ changes: open.length }),
              run: async () => {
                const done = await each(say, open, (m) => m.path.slice(0, 100), async (m) => ({ path: m.path, led: await lead({ path: m.path }, m.suggestion!.to) }));
                for (const d of done) made(d.path, d.led);
                selection.set([]);
                if (done.length > 0)
                  told(say, say("rulesMade", { n: done.length }), async () => {
                    for (const d of done) {
                      await d.led.undo();
                      made(d.path, undefined);
                    }
                  });
              },
            },
          ]}
        >
          <Button size="sm" variant="default" loading={hiding.isPending} onClick={() => hiding.mutate(selected.map((m) => m.path))}>
            {say(search.hidden ? "unhide" : "hide")}
          </Button>
        </BulkBar>
      )}
      {choosing !== undefined && (
        <Suspense>
          <RedirectDialog shop={shop} lost={{ path: choosing }} onMade={(l) => made(choosing, l)} onClose={() => setChoosing(undefined)} />
        </Suspense>
      )}
    </Stack>
  );
}
