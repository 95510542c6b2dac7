import { Alert, Button, Card, Group, SegmentedControl, Select, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconArrowRight, IconPlus } from "@tabler/icons-react";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { todayIn } from "../../parts/dates";
import { DayBox } from "../../parts/DayBox";
import { AnchorLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import type { Lost } from "../../parts/redirects";
import { keepUnsaved } from "../../parts/useEdit";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/statistics";
import { figures, lengths, periodOf, steps, type StatisticsSearch } from "./search";
import { Top } from "./Top";

const Chart = lazy(() => import("../../parts/Chart"));
const RedirectDialog = lazy(() => import("../../parts/RedirectDialog"));

type Stats = Schemas["StatsStatsView"];

const statsQuery = (shop: string, query: { from: string; to: string; group: (typeof steps)[number] }) =>
  queryOptions({
    queryKey: [shop, "stats", query],
    queryFn: async ({ signal }) => (await answer(api.GET("/stats", { params: { query }, signal }))).result,
    staleTime: 60_000,
  });

// Statistics shows a period of the shop beside the one before.
export function Statistics() {
  const { shop } = useParams({ from: "/$shop/statistics" });
  const search = useSearch({ from: "/$shop/statistics" });
  const navigate = useNavigate({ from: "/$shop/statistics" });
  const { say } = useWords(words);
  const passport = useQuery(passportQuery(shop)).data;
  const zone = passport?.store.timezone ?? "UTC";
  const period = periodOf(search, todayIn(zone));
  const asked = period ?? { from: "", to: "", group: "day" as const };
  const stats = useQuery({ ...statsQuery(shop, asked), enabled: passport !== undefined && period !== null, placeholderData: keepPreviousData });
  useShownCall({ method: "GET", path: addressOf("/stats", asked) });
  const change = (part: Partial<StatisticsSearch>) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const own = search.from !== undefined || search.to !== undefined;

  return (
    <Stack>
      <Title order={1} size="h2">
        {say("statistics")}
      </Title>
      <Group gap="sm" align="flex-end">
        <Select
          aria-label={say("period")}
          allowDeselect={false}
          w={180}
          data={[...lengths.map((n) => ({ value: String(n), label: say(`days_${n}`) })), { value: "own", label: say("ownDays") }]}
          value={own ? "own" : String(search.days ?? 30)}
          onChange={(v) => change(v === "own" ? { days: undefined, from: asked.from, to: asked.to } : { days: lengths.find((n) => String(n) === v), from: undefined, to: undefined, group: undefined })}
        />
        {own && (
          <Group gap="xs">
            <DayBox label={say("from")} value={search.from} onDay={(from) => change({ from })} error={!period} />
            <DayBox label={say("to")} value={search.to} onDay={(to) => change({ to })} error={!period} />
          </Group>
        )}
      </Group>
      {!period ? (
        <Alert role="alert" color="red" variant="light">
          {say("daysWrong")}
        </Alert>
      ) : stats.isError && !stats.data ? (
        <Failure error={stats.error} retry={() => void stats.refetch()} />
      ) : !stats.data || !passport ? (
        <Skeleton h={480} />
      ) : (
        <Report shop={shop} stats={stats.data} group={period.group} search={search} change={change} passport={passport} />
      )}
    </Stack>
  );
}

const chartWords = { revenue: "revenue", orders: "orders", visits: "visits", page_views: "pageViews" } as const;

function Report({ shop, stats: s, group, search, change, passport }: { shop: string; stats: Stats; group: (typeof steps)[number]; search: StatisticsSearch; change: (part: Partial<StatisticsSearch>) => void; passport: Passport }) {
  const { say, language } = useWords(words);
  const digits = passport.store.price_digits;
  const money = (n: number) => formatMoney(n, s.currency, digits, language);
  const count = (n: number) => n.toLocaleString(language);
  const percent = (n: number) => n.toLocaleString(language, { style: "percent", maximumFractionDigits: 2 });
  const dayText = (d: string) => new Date(d).toLocaleDateString(language, { timeZone: "UTC", dateStyle: "medium" });
  const before = s.previous;
  const totals: [WordOf<typeof words>, number, number, (n: number) => string][] = [
    ["revenue", s.revenue, before.revenue, money],
    ["orders", s.orders, before.orders, count],
    ["averageOrder", s.average_order, before.average_order, money],
    ["visits", s.visits, before.visits, count],
    ["pageViews", s.page_views, before.page_views, count],
    ["conversion", s.conversion, before.conversion, percent],
  ];
  if (s.reminders > 0 || before.reminders > 0)
    totals.push(["reminders", s.reminders, before.reminders, count], ["recovered", s.recovered_orders, before.recovered_orders, count], ["recoveredRevenue", s.recovered_revenue, before.recovered_revenue, money]);
  if (s.assistant_orders > 0 || before.assistant_orders > 0)
    totals.push(["assistantOrders", s.assistant_orders, before.assistant_orders, count], ["assistantRevenue", s.assistant_revenue, before.assistant_revenue, money]);
  const figure = search.chart ?? "revenue";

  return (
    <>
      <Text size="sm" c="dimmed">
        {say("compared", { from: dayText(before.from), to: dayText(before.to) })}
      </Text>
      <SimpleGrid cols={{ base: 2, md: 3 }} spacing="xs">
        {totals.map(([word, now, then, text]) => (
          <Card key={word} withBorder padding="sm">
            <Text size="sm" c="dimmed">
              {say(word)}
            </Text>
            <Group gap={8} align="baseline">
              <Text fz={22} fw={650}>
                {text(now)}
              </Text>
              {then > 0 && now !== then && (
                <Text size="sm" fw={600} c={now > then ? "var(--mantine-color-teal-light-color)" : "var(--mantine-color-red-light-color)"}>
                  {(now / then - 1).toLocaleString(language, { style: "percent", maximumFractionDigits: 0, signDisplay: "always" })}
                </Text>
              )}
            </Group>
            <Text size="xs" c="dimmed">
              {say("beforeValue", { value: text(then) })}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Card withBorder padding="sm">
        <Group justify="space-between" mb="xs">
          <Select aria-label={say("chart")} allowDeselect={false} w={200} data={figures.map((f) => ({ value: f as string, label: say(chartWords[f]) }))} value={figure} onChange={(v) => change({ chart: v as StatisticsSearch["chart"] })} />
          <SegmentedControl aria-label={say("group")} size="xs" data={steps.map((g) => ({ value: g as string, label: say(`group_${g}`) }))} value={group} onChange={(v) => change({ group: v as StatisticsSearch["group"] })} />
        </Group>
        <Compared shop={shop} stats={s} group={group} figure={figure} format={figure === "revenue" ? (v) => money(Math.round(v)) : count} />
      </Card>
      <Text size="sm" c="dimmed">
        {say("visitsHint")}
      </Text>
      <Lists shop={shop} stats={s} passport={passport} money={money} count={count} />
    </>
  );
}

// Compared draws a figure with that of the period before. The points of both are matched by their
// place: the second of this month with the second of the month before.
function Compared({ shop, stats: s, group, figure, format }: { shop: string; stats: Stats; group: (typeof steps)[number]; figure: (typeof figures)[number]; format: (v: number) => string }) {
  const { say } = useWords(words);
  const before = useQuery(statsQuery(shop, { from: s.previous.from, to: s.previous.to, group }));
  const series = s.series;
  return (
    <Suspense fallback={<Skeleton h={220} />}>
      <Chart
        label={say(chartWords[figure])}
        days={series.map((p) => p.date)}
        values={series.map((p) => p[figure])}
        format={format}
        before={before.data && { label: say("periodBefore"), values: series.map((_, i) => before.data.series[i]?.[figure] ?? null) }}
      />
    </Suspense>
  );
}

function Lists({ shop, stats: s, passport, money, count }: { shop: string; stats: Stats; passport: Passport; money: (n: number) => string; count: (n: number) => string }) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const [lost, setLost] = useState<Lost>();
  const [led, setLed] = useState<Record<string, string | undefined>>({}); // what was redirected on this page
  const redirects = passport.capabilities.redirects_write && passport.role !== "editor";
  const keyOf = (l: Lost) => (l.query === undefined ? `path ${l.path}` : `query ${l.query}`);
  const shopURL = (path: string) => new URL(path, passport.store.storefront_url).href;

  const actions = (l: Lost, name: string, more?: boolean) => {
    const to = led[keyOf(l)];
    if (to)
      return (
        <Text size="sm" c="dimmed">
          {say("redirected", { to })}
        </Text>
      );
    return (
      <Group gap={6} mt={4}>
        {redirects && !name.includes("…") && (
          <Button size="compact-sm" variant="default" leftSection={<IconArrowRight size={14} />} aria-label={`${say("makeRedirect")}: ${name}`} onClick={() => setLost(l)}>
            {say("makeRedirect")}
          </Button>
        )}
        {more && passport.capabilities.catalog_write && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            aria-label={`${say("addProduct")}: ${name}`}
            onClick={() => {
              keepUnsaved(`${shop}/product/new`, { name: name.charAt(0).toUpperCase() + name.slice(1) });
              void navigate({ to: "/$shop/products/$id", params: { shop, id: "new" } });
            }}
          >
            {say("addProduct")}
          </Button>
        )}
      </Group>
    );
  };

  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" style={{ alignItems: "start" }}>
      <Top title={say("searches")} hint={say("searchesHint")} head={[say("query"), say("times")]} list={s.searches} row={(e) => ({ key: e.query, cells: [<bdi key="q">{e.query}</bdi>, count(e.count)], actions: actions({ query: e.query }, e.query, true) })} />
      <Top title={say("notFound")} hint={say("notFoundHint")} head={[say("address"), say("times")]} list={s.not_found} row={(e) => ({ key: e.path, cells: [<bdi key="p">{e.path}</bdi>, count(e.hits)], actions: actions({ path: e.path }, e.path) })} />
      <Top
        title={say("topProducts")}
        head={[say("product"), say("quantity"), say("revenue")]}
        list={s.top_products}
        row={(e) => ({
          key: String(e.product_id),
          cells: [
            <AnchorLink key="n" to="/$shop/products/$id" params={{ shop, id: String(e.product_id) }} size="sm" c="var(--mantine-color-text)" dir="auto">
              {e.name}
            </AnchorLink>,
            count(e.quantity),
            money(e.revenue),
          ],
        })}
      />
      {s.assistants.length > 0 && (
        <Top
          title={say("assistants")}
          head={[say("assistant"), say("orders"), say("revenue")]}
          list={s.assistants}
          row={(e) => ({
            key: e.platform_id,
            cells: [
              <AnchorLink key="n" to="/$shop/orders" params={{ shop }} search={{ platform: Number(e.platform_id) }} size="sm" c="var(--mantine-color-text)" dir="auto" style={{ overflowWrap: "anywhere" }}>
                {e.name}
              </AnchorLink>,
              count(e.orders),
              money(e.revenue),
            ],
          })}
        />
      )}
      <Top
        title={say("topPages")}
        head={[say("page"), say("views")]}
        list={s.top_pages}
        row={(e) => ({
          key: e.path,
          cells: [
            <a key="p" href={shopURL(e.path)} target="_blank" rel="noreferrer" style={{ color: "var(--mantine-color-text)" }}>
              <bdi>{e.path}</bdi>
            </a>,
            count(e.views),
          ],
        })}
      />
      <Top title={say("referrers")} head={[say("host"), say("visits")]} list={s.referrers} row={(e) => ({ key: e.host, cells: [<bdi key="h">{e.host}</bdi>, count(e.visits)] })} />
      <Top
        title={say("campaigns")}
        hint={say("campaignsHint")}
        texts={3}
        head={[say("source"), say("medium"), say("campaign"), say("visits")]}
        list={s.campaigns}
        row={(e) => ({ key: JSON.stringify([e.source, e.medium, e.campaign]), cells: [<bdi key="s">{e.source}</bdi>, <bdi key="m">{e.medium}</bdi>, <bdi key="c">{e.campaign}</bdi>, count(e.visits)] })}
      />
      {s.other_currencies.length > 0 && (
        <Top
          title={say("others")}
          head={[say("currency"), say("orders"), say("revenue")]}
          list={s.other_currencies}
          row={(e) => ({ key: e.currency, cells: [e.currency, count(e.orders), e.revenue.toLocaleString()] })}
        />
      )}
      {lost && (
        <Suspense>
          <RedirectDialog shop={shop} lost={lost} onMade={(led) => setLed((l) => ({ ...l, [keyOf(lost)]: led?.to }))} onClose={() => setLost(undefined)} />
        </Suspense>
      )}
    </SimpleGrid>
  );
}
