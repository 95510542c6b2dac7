import { Badge, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { failed } from "../../parts/notice";
import { Place } from "../../parts/Place";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { deliveriesQuery, type Delivery } from "./data";
import { Heading } from "./Heading";

// Deliveries is the list of the delivery options, in their order at the checkout.
export function Deliveries() {
  const { shop } = useParams({ from: "/$shop/settings/delivery" });
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const list = useQuery(deliveriesQuery(shop));
  const { data: passport } = useQuery(passportQuery(shop));
  const writes = passport !== undefined && passport.role !== "editor";
  useShownCall({ method: "GET", path: "/v1/shop/delivery-options" });

  const order = useMutation({
    mutationFn: async (next: Delivery[]) => {
      for (const [sort_order, d] of next.entries()) {
        if (d.sort_order !== sort_order) await answer(api.PUT("/v1/shop/delivery-options/{id}", { params: { path: { id: d.id } }, body: { sort_order } }));
      }
    },
    onMutate: (next) => queries.setQueryData(deliveriesQuery(shop).queryKey, next),
    onError: (error) => failed(say, error),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesQuery(shop).queryKey }),
  });

  const items = list.data ?? [];
  const price = (d: Delivery) => {
    if (d.rates.length > 0) return say("byRates", { n: d.rates.length });
    return d.price === 0 ? say("free") : passport ? formatMoney(d.price, passport.store.currency, passport.store.price_digits, language) : "";
  };
  const name = (d: Delivery) =>
    writes ? (
      <AnchorLink to="/$shop/settings/delivery/$id" params={{ shop, id: d.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
        {d.name}
      </AnchorLink>
    ) : (
      <Text size="sm" fw={500} dir="auto">
        {d.name}
      </Text>
    );
  const state = (d: Delivery) => (
    <Badge tt="none" variant="light" color={d.is_active ? "teal" : "gray"}>
      {say(d.is_active ? "active" : "inactive")}
    </Badge>
  );
  const place = (d: Delivery) => <Place list={items} at={items.indexOf(d)} name={d.name} removable={false} onChange={(next) => !order.isPending && order.mutate(next)} />;
  return (
    <Stack>
      <Heading title={say("page_delivery")}>
        {writes && (
          <ButtonLink to="/$shop/settings/delivery/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newDelivery")}
          </ButtonLink>
        )}
      </Heading>
      <List
        query={list}
        items={items}
        total={items.length}
        size={items.length}
        page={undefined}
        onPage={() => {}}
        nameOf={(d) => d.name}
        empty={say("noDeliveries")}
        count={say("deliveriesCount", { n: items.length })}
        columns={[
          { key: "name", label: say("deliveryName"), cell: name },
          { key: "kind", label: say("d_kind"), cell: (d) => <Text size="sm">{say(`kind_${d.kind}`)}</Text> },
          { key: "state", label: say("state"), cell: state },
          { key: "price", label: say("price"), end: true, cell: (d) => <Text size="sm">{price(d)}</Text> },
          ...(writes ? [{ key: "place", label: say("sort"), end: true, cell: place }] : []),
        ]}
        card={(d) => (
          <Group justify="space-between" wrap="nowrap" py={6} style={{ borderBottom: "1px solid var(--mantine-color-default-border)" }}>
            <div style={{ minWidth: 0 }}>
              {name(d)}
              <Group gap="xs">
                {state(d)}
                <Text size="sm" c="dimmed">
                  {price(d)}
                </Text>
              </Group>
            </div>
            {writes && place(d)}
          </Group>
        )}
      />
    </Stack>
  );
}
