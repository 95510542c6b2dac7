import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconCreditCard, IconGauge, IconPalette, IconPower, IconReceiptTax, IconShoppingBag, IconBuildingStore, IconTruckDelivery, IconWorld, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams, type LinkProps } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { CardLink } from "../../parts/links";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/settings";

// all are the pages of the settings. Those of manage are for owners and administrators.
const all = [
  { word: "page_shop", to: "/$shop/settings/shop", icon: IconBuildingStore, manage: true },
  { word: "page_look", to: "/$shop/settings/look", icon: IconPalette, manage: true },
  { word: "page_orders", to: "/$shop/settings/orders", icon: IconShoppingBag, manage: true },
  { word: "page_delivery", to: "/$shop/settings/delivery", icon: IconTruckDelivery },
  { word: "page_payments", to: "/$shop/settings/payments", icon: IconCreditCard },
  { word: "page_tax", to: "/$shop/settings/tax", icon: IconReceiptTax, manage: true },
  { word: "page_address", to: "/$shop/settings/address", icon: IconWorld, manage: true },
  { word: "page_usage", to: "/$shop/settings/usage", icon: IconGauge },
  { word: "page_state", to: "/$shop/settings/state", icon: IconPower, manage: true },
] as const satisfies { word: WordOf<typeof words>; to: LinkProps["to"]; icon: TablerIcon; manage?: boolean }[];

// Settings leads to the pages of the settings.
export function Settings() {
  const { shop } = useParams({ from: "/$shop/settings" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  useShownCall({ method: "GET", path: "/v1/account/token" });
  if (!passport) return <Skeleton h={320} />;
  return (
    <Stack>
      <Title order={1} size="h2">
        {say("settings")}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {all
          .filter((p) => !("manage" in p) || passport.role !== "editor")
          .map((p) => (
            <CardLink key={p.word} withBorder to={p.to} params={{ shop }}>
              <Group wrap="nowrap" align="flex-start">
                <p.icon size={24} stroke={1.5} style={{ flexShrink: 0 }} />
                <div>
                  <Text fw={600}>{say(p.word)}</Text>
                  <Text size="sm" c="dimmed">
                    {say(`${p.word}_text`)}
                  </Text>
                </div>
              </Group>
            </CardLink>
          ))}
      </SimpleGrid>
    </Stack>
  );
}
