import { Anchor, Stack, Text } from "@mantine/core";
import { AnchorLink } from "../../../parts/links";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import type { PanelProps } from "../Order";
import { addressLines } from "../postal";
import { Panel } from "./Panel";

// Buyer is who ordered, and where the goods go.
export function Buyer({ shop, order }: PanelProps) {
  const { say, language } = useWords(words);
  const { contact, delivery } = order;
  const address = addressLines(order.address, language);
  return (
    <Panel title={say("buyer")}>
      <Stack gap="xs">
        <Stack gap={2} align="flex-start">
          <Text fw={500} dir="auto">
            {contact.name}
          </Text>
          <Anchor href={`tel:${contact.phone.replace(/[^+\d]/g, "")}`} size="sm" py={2} dir="auto">
            {contact.phone}
          </Anchor>
          {contact.email && (
            <Anchor href={`mailto:${contact.email}`} size="sm" py={2} dir="auto">
              {contact.email}
            </Anchor>
          )}
          {contact.vat_number && (
            <Text size="sm">
              {say("vat")}: {contact.vat_number}
            </Text>
          )}
        </Stack>
        {address.length > 0 && (
          <Said title={say("address")}>
            <Text component="address" size="sm" dir="auto" style={{ fontStyle: "normal", whiteSpace: "pre-line" }}>
              {address.join("\n")}
            </Text>
          </Said>
        )}
        {delivery && (
          <Said title={say("delivery")}>
            <Text size="sm" dir="auto">
              {[delivery.name, delivery.days !== null && say("daysMost", { n: delivery.days })].filter(Boolean).join(" · ")}
            </Text>
            {delivery.point && (
              <Text size="sm" dir="auto">
                {say("pickUpAt")}: {[delivery.point.name, delivery.point.address, delivery.point.hours].filter(Boolean).join(", ")}
              </Text>
            )}
          </Said>
        )}
        {order.comment && (
          <Said title={say("comment")}>
            <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
              {order.comment}
            </Text>
          </Said>
        )}
        {order.user_id > 0 && (
          <AnchorLink to="/$shop/orders" params={{ shop }} search={{ buyer: order.user_id }} size="sm">
            {say("allOfBuyer")}
          </AnchorLink>
        )}
      </Stack>
    </Panel>
  );
}

function Said({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      {children}
    </div>
  );
}
