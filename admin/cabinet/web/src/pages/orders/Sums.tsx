import { Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { useWords } from "../../words";
import { words } from "../../words/orders";

// Sums explains a total step by step: what the goods cost at the shop's prices, which promotions
// changed it, the delivery and the taxes. What is left over comes from agreed prices.
export function Sums({
  before,
  promotions,
  goods,
  delivery,
  taxes,
  total,
  money,
}: {
  before: number; // of the goods at the shop's prices
  promotions: { name: string; code: string; amount: number }[];
  goods: number;
  delivery: { name: string; price: number } | null;
  taxes: Schemas["ShopTax"][];
  total: number;
  money: (amount: number) => string;
}) {
  const { say } = useWords(words);
  const steps: [what: string, sum: number][] = [];
  if (before !== goods) {
    const agreed = goods - before + promotions.reduce((sum, p) => sum + p.amount, 0);
    steps.push([say("atPrices"), before]);
    for (const p of promotions) steps.push([p.code ? `${p.name} (${say("code", { code: p.code })})` : p.name, -p.amount]);
    if (agreed !== 0) steps.push([say("otherChange"), agreed]);
  }
  steps.push([say("goodsTotal"), goods]);
  if (delivery) steps.push([`${say("delivery")}: ${delivery.name}`, delivery.price]);
  const added = total !== goods + (delivery?.price ?? 0);
  const taxed = taxes.map((t): [string, number] => [added ? say("taxAdded", { name: t.name, percent: t.percent, base: money(t.base) }) : say("taxIncluded", { name: t.name, percent: t.percent }), t.amount]);
  return (
    <Stack gap={4} pt="sm" style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
      {[...steps, ...(added ? taxed : [])].map(([what, sum], i) => (
        <Step key={i} what={what} sum={money(sum)} />
      ))}
      <Step what={say("total")} sum={money(total)} bold />
      {!added && taxed.map(([what, sum], i) => <Step key={i} what={what} sum={money(sum)} />)}
    </Stack>
  );
}

function Step({ what, sum, bold }: { what: string; sum: string; bold?: boolean }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="md" align="flex-start">
      <Text size="sm" fw={bold ? 650 : 400} dir="auto">
        {what}
      </Text>
      <Text size="sm" fw={bold ? 650 : 400} style={{ whiteSpace: "nowrap" }}>
        {sum}
      </Text>
    </Group>
  );
}
