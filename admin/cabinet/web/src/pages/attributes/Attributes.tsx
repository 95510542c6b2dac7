import { Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { AnchorLink } from "../../parts/links";
import { failed } from "../../parts/notice";
import { Place } from "../../parts/Place";
import { useWords } from "../../words";
import { words } from "../../words/attributes";
import { attributesQuery, type AttributeView } from "./data";
import { ListHeading } from "./ListHeading";

// Attributes is the list of the shop's attributes, in their order on the pages of products.
export function Attributes() {
  const { shop } = useParams({ from: "/$shop/attributes" });
  const { say } = useWords(words);
  const list = useQuery(attributesQuery(shop));
  const { data: passport } = useQuery(passportQuery(shop));
  const writes = passport?.capabilities.catalog_write ?? false;
  const queries = useQueryClient();
  useShownCall({ method: "GET", path: "/attributes" });

  const order = useMutation({
    mutationFn: async (next: AttributeView[]) => {
      for (const [i, a] of next.entries()) {
        if (a.order !== i) await answer(api.PUT("/attributes/{id}", { params: { path: { id: a.id } }, body: { item: { order: i } } }));
      }
    },
    onMutate: (next) => queries.setQueryData(attributesQuery(shop).queryKey, next),
    onError: (error) => failed(say, error),
    onSettled: () => queries.invalidateQueries({ queryKey: [shop, "attributes"] }),
  });

  const items = list.data ?? [];
  const values = (a: AttributeView) => (a.kind === "option" ? say("optionsCount", { n: a.options.length }) : say(`kind_${a.kind}`) + (a.unit && `, ${a.unit}`));
  return (
    <Stack>
      <ListHeading shop={shop} groups={false} writes={writes} />
      <Text size="sm" c="dimmed">
        {say("attributesHelp")}
      </Text>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={240} />
      ) : items.length === 0 ? (
        <Text py="xl" ta="center" c="dimmed">
          {say("noAttributes")}
        </Text>
      ) : (
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("attributeName")}</Table.Th>
              <Table.Th>{say("valueKind")}</Table.Th>
              <Table.Th visibleFrom="sm">{say("filter")}</Table.Th>
              {writes && <Table.Th ta="right">{say("sort")}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((a, i) => (
              <Table.Tr key={a.id}>
                <Table.Td>
                  <AnchorLink to="/$shop/attributes/$id" params={{ shop, id: String(a.id) }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                    {a.name}
                  </AnchorLink>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{values(a)}</Text>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Text size="sm">{say(a.filterable && a.kind !== "text" ? "yes" : "no")}</Text>
                </Table.Td>
                {writes && (
                  <Table.Td>
                    <Place list={items} at={i} name={a.name} removable={false} onChange={(next) => !order.isPending && order.mutate(next)} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
