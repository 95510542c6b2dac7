import { Button, Card, Group, Select, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import type { Passport } from "../../frame/session";
import { failed } from "../../parts/notice";
import { formatMoney } from "../../parts/money";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import type { Item } from "./data";
import { itemOf, type Fields } from "./fields";

// Preview replays the orders of the past with the promotion as it is typed.
export function Preview({ values, store }: { values: Fields; store: Passport["store"] }) {
  const { say, language } = useWords(words);
  const [days, setDays] = useState(30);
  const { item, faults } = itemOf({ ...values, name: values.name.trim() || say(`kind_${values.kind}`) }, "all", store, say);
  const tried = useMutation({
    mutationFn: async ({ item, days }: { item: Item; days: number }) => {
      const fault = Object.values(faults)[0];
      if (fault) throw new Refusal(400, "PROMOTION_INVALID", fault);
      const { name, kind, value } = item;
      return (await answer(api.POST("/promotions/preview", { body: { days, item: { ...item, name: name!, kind: kind!, value: value! } } }))).result;
    },
    onError: (error) => failed(say, error),
  });
  const current = JSON.stringify({ item, days }) === JSON.stringify(tried.variables);
  const money = (n: number) => formatMoney(n, store.currency, store.price_digits, language);
  const r = tried.data;
  return (
    <Card withBorder component="section" aria-labelledby="preview">
      <Stack gap="sm">
        <Title order={2} size="h4" id="preview">
          {say("preview")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("previewText")}
        </Text>
        <Group gap="xs">
          <Select
            aria-label={say("preview")}
            data={[7, 30, 90].map((n) => ({ value: String(n), label: say("lastDays", { n }) }))}
            value={String(days)}
            onChange={(n) => setDays(Number(n))}
            allowDeselect={false}
            w={220}
          />
          <Button variant="default" loading={tried.isPending} onClick={() => tried.mutate({ item, days })}>
            {say("tryIt")}
          </Button>
        </Group>
        <div aria-live="polite">
          {r && !tried.isPending && !current && <Text size="sm">{say("previewStale")}</Text>}
          {r && current && r.orders === 0 && <Text size="sm">{say("noOrders")}</Text>}
          {r && current && r.orders > 0 && (
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
              {(
                [
                  ["ordersThen", r.orders.toLocaleString(language)],
                  ["ordersTouched", r.orders_touched.toLocaleString(language)],
                  ["discountTotal", money(r.discount_total)],
                  ["revenueBefore", money(r.revenue_before)],
                  ["revenueAfter", money(r.revenue_after)],
                ] as const
              ).map(([word, value]) => (
                <div key={word}>
                  <Text size="sm" c="dimmed">
                    {say(word)}
                  </Text>
                  <Text fz={20} fw={650}>
                    {value}
                  </Text>
                </div>
              ))}
            </SimpleGrid>
          )}
        </div>
      </Stack>
    </Card>
  );
}
