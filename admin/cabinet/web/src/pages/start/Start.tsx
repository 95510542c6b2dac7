import { Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, type LinkProps } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { dayAfter, todayIn } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/start";
import { Steps } from "./Steps";

const Chart = lazy(() => import("../../parts/Chart"));

// Start is the day of a shop: what waits, and how the last 30 days went.
export function Start() {
  const { shop } = useParams({ from: "/$shop/start" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const today = useQuery({
    queryKey: [shop, "today"],
    queryFn: async () => (await answer(api.GET("/v1/shop/today", {}))).result,
    staleTime: 0, // who comes back from a pile sees what is left
  });
  useShownCall({ method: "GET", path: "/v1/shop/today" });
  return (
    <Stack>
      <Title order={1} size="h2" dir="auto">
        {passport?.store.name ?? say("start")}
      </Title>
      {passport && <Steps shop={shop} passport={passport} />}
      <section>
        <Title order={2} size="h4" mb="xs">
          {say("today")}
        </Title>
        {today.isError ? <Failure error={today.error} retry={() => void today.refetch()} /> : today.data ? <Waiting shop={shop} today={today.data} /> : <Skeleton h={72} />}
      </section>
      {passport?.capabilities.stats_read && <Month shop={shop} digits={passport.store.price_digits} zone={passport.store.timezone} />}
    </Stack>
  );
}

function Waiting({ shop, today }: { shop: string; today: Schemas["OverviewTodayView"] }) {
  const { say } = useWords(words);
  const counts: { word: WordOf<typeof words>; n: number | null | undefined; at?: Pick<LinkProps, "to" | "search"> }[] = [
    { word: "ordersNew", n: today.orders?.new, at: { to: "/$shop/orders", search: { status: "new" } } },
    { word: "ordersUnpaid", n: today.orders?.unpaid, at: { to: "/$shop/orders", search: { waits: "payment" } } },
    { word: "ordersToShip", n: today.orders?.to_ship, at: { to: "/$shop/orders", search: { waits: "shipment" } } },
    { word: "ordersToRefund", n: today.orders?.to_refund, at: { to: "/$shop/orders", search: { waits: "refund" } } },
    { word: "lowStock", n: today.low_stock, at: { to: "/$shop/products", search: { stock: "low" } } },
    { word: "reviews", n: today.reviews, at: { to: "/$shop/reviews" } },
    { word: "questions", n: today.questions, at: { to: "/$shop/reviews", search: { kind: "questions" } } },
    { word: "leads", n: today.leads, at: { to: "/$shop/leads" } },
    { word: "drafts", n: today.drafts },
    { word: "misses", n: today.misses, at: { to: "/$shop/redirects/misses" } },
  ];
  const waiting = counts.filter((c) => c.n);
  if (waiting.length === 0) return <Text c="dimmed">{say("nothingWaits")}</Text>;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
      {waiting.map((c) => (
        <Card key={c.word} withBorder padding="sm">
          <Text fz={28} fw={650} lh={1.1}>
            {c.n}
          </Text>
          {c.at ? (
            <AnchorLink {...c.at} params={{ shop }} size="sm">
              {noNumber(say(c.word, { n: c.n! }))}
            </AnchorLink>
          ) : (
            <Text size="sm">{noNumber(say(c.word, { n: c.n! }))}</Text>
          )}
        </Card>
      ))}
    </SimpleGrid>
  );
}

// noNumber leaves the words of a count: the number stands above them.
const noNumber = (text: string) => text.replace(/^\d+\s*/, "");

function Month({ shop, digits, zone }: { shop: string; digits: number; zone: string }) {
  const { say, language } = useWords(words);
  const to = todayIn(zone);
  const from = dayAfter(to, -29);
  const stats = useQuery({
    queryKey: [shop, "stats", from, to],
    queryFn: async () => (await answer(api.GET("/stats", { params: { query: { from, to } } }))).result,
    staleTime: 60_000,
  });
  if (stats.isError) return <Failure error={stats.error} retry={() => void stats.refetch()} />;
  if (!stats.data) return <Skeleton h={320} />;
  const s = stats.data;
  const money = (n: number) => formatMoney(n, s.currency, digits, language);
  const count = (n: number) => n.toLocaleString(language);
  const figures: [WordOf<typeof words>, string, string][] = [
    ["revenue", money(s.revenue), money(s.previous.revenue)],
    ["orders", count(s.orders), count(s.previous.orders)],
    ["averageOrder", money(s.average_order), money(s.previous.average_order)],
    ["visits", count(s.visits), count(s.previous.visits)],
  ];
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {say("last30")}
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="xs" mb="md">
        {figures.map(([word, now, before]) => (
          <Card key={word} withBorder padding="sm">
            <Text size="sm" c="dimmed">
              {say(word)}
            </Text>
            <Text fz={22} fw={650}>
              {now}
            </Text>
            <Group gap={4}>
              <Text size="xs" c="dimmed">
                {say("before30")}: {before}
              </Text>
            </Group>
          </Card>
        ))}
      </SimpleGrid>
      <Card withBorder padding="sm">
        {s.series.every((d) => d.revenue === 0) ? (
          <Text size="sm" c="dimmed">
            {say("noRevenue")}
          </Text>
        ) : (
          <Suspense fallback={<Skeleton h={220} />}>
            <Chart label={say("revenue")} days={s.series.map((d) => d.date)} values={s.series.map((d) => d.revenue / 10 ** digits)} format={(v) => formatMoney(Math.round(v * 10 ** digits), s.currency, digits, language)} />
          </Suspense>
        )}
      </Card>
    </section>
  );
}
