import { Badge, Group, Stack, Text } from "@mantine/core";
import { AnchorLink } from "../../../parts/links";
import { formatMoney } from "../../../parts/money";
import { Picture } from "../../../parts/Picture";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import type { Line } from "../data";
import type { PanelProps } from "../Order";
import { Sums } from "../Sums";
import { Panel } from "./Panel";

// pictureOf is the id of the picture of a line, which names the address that visitors see.
const pictureOf = (line: Line) => /[0-9a-f-]{36}/.exec(line.image)?.[0];

// baseOf is the price of the shop before promotions. Old orders did not note it.
const baseOf = (line: Line) => line.base_unit_price || line.unit_price;

// Lines are what was ordered, and how its sum came about.
export function Lines({ shop, order, passport }: PanelProps) {
  const { say, language } = useWords(words);
  const money = (amount: number) => formatMoney(amount, order.currency, passport.store.price_digits, language);
  return (
    <Panel title={say("goods")}>
      <Stack gap="sm">
        {order.items.map((l) => (
          <Group key={l.id} wrap="nowrap" align="flex-start" gap="sm">
            <Picture id={pictureOf(l)} size={56} />
            <Stack gap={2} flex={1} miw={0}>
              <div>
                {l.url ? (
                  <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(l.product_id) }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                    {l.name}
                  </AnchorLink>
                ) : (
                  <Text size="sm" fw={500} dir="auto">
                    {l.name}
                  </Text>
                )}
              </div>
              {l.sku && (
                <Text size="xs" c="dimmed" dir="auto">
                  {l.sku}
                </Text>
              )}
              {chosen(l).map(([name, value]) => (
                <Text key={name} size="xs" c="dimmed" dir="auto">
                  {name}: {value}
                </Text>
              ))}
              {l.combo_items.map((part) => (
                <Text key={`${part.product_id}/${part.variant_id ?? ""}`} size="xs" c="dimmed" dir="auto">
                  {part.quantity * l.quantity} × {part.name}
                </Text>
              ))}
              <Group gap={4}>
                {l.is_gift && (
                  <Badge tt="none" variant="light">
                    {say("gift")}
                  </Badge>
                )}
                {l.agreed && (
                  <Badge tt="none" variant="light" color="orange">
                    {say("agreed")}
                  </Badge>
                )}
                {!l.url && (
                  <Badge tt="none" variant="light" color="gray">
                    {say("notInShop")}
                  </Badge>
                )}
              </Group>
            </Stack>
            <Stack gap={2} align="flex-end" style={{ whiteSpace: "nowrap" }}>
              <Text size="sm" fw={500}>
                {money(l.total)}
              </Text>
              <Text size="xs" c="dimmed">
                {l.quantity} × {money(l.unit_price)}
              </Text>
              {baseOf(l) !== l.unit_price && (
                <Text size="xs" c="dimmed" td="line-through">
                  {money(baseOf(l))}
                </Text>
              )}
            </Stack>
          </Group>
        ))}
        <Sums
          before={order.items.reduce((sum, l) => sum + baseOf(l) * l.quantity, 0)}
          promotions={order.promotions as { name: string; code: string; amount: number }[]}
          goods={order.items_total}
          delivery={order.delivery}
          taxes={order.taxes}
          total={order.grand_total}
          money={money}
        />
      </Stack>
    </Panel>
  );
}

// chosen are the texts and numbers that the buyer added to a line, such as an engraving.
function chosen(line: Line): [string, string][] {
  return Object.entries(line.data).flatMap(([name, value]) => (name !== "variant_id" && (typeof value === "string" || typeof value === "number") ? [[name, String(value)] as [string, string]] : []));
}
