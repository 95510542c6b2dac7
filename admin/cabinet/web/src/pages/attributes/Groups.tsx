import { Skeleton, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { AnchorLink } from "../../parts/links";
import { Pager } from "../../parts/Pager";
import { useWords } from "../../words";
import { words } from "../../words/attributes";
import { groupPage, groupsQuery } from "./data";
import { ListHeading } from "./ListHeading";

// Groups is the list of the groups of linked products.
export function Groups() {
  const { shop } = useParams({ from: "/$shop/groups" });
  const { page = 1 } = useSearch({ from: "/$shop/groups" });
  const navigate = useNavigate({ from: "/$shop/groups" });
  const { say } = useWords(words);
  const list = useQuery(groupsQuery(shop, page));
  const { data: passport } = useQuery(passportQuery(shop));
  useShownCall({ method: "GET", path: `/product-groups?page.number=${page}&page.limit=${groupPage}` });
  return (
    <Stack>
      <ListHeading shop={shop} groups writes={passport?.capabilities.catalog_write ?? false} />
      <Text size="sm" c="dimmed">
        {say("groupsHelp")}
      </Text>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={240} />
      ) : list.data.total === 0 ? (
        <Text py="xl" ta="center" c="dimmed">
          {say("noGroups")}
        </Text>
      ) : (
        <Table verticalSpacing={8}>
          <Table.Tbody>
            {list.data.result.map((g) => (
              <Table.Tr key={g.id}>
                <Table.Td>
                  <AnchorLink to="/$shop/groups/$id" params={{ shop, id: g.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
                    {g.name}
                  </AnchorLink>
                </Table.Td>
                <Table.Td ta="right">
                  <Text size="sm">{say("productsCount", { n: g.product_ids.length })}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Pager total={list.data?.total ?? 0} size={groupPage} page={page} onPage={(page) => void navigate({ search: { page } })} />
    </Stack>
  );
}
