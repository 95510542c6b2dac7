import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { KindIcon } from "./KindIcon";
import type { SectionSearch } from "./search";
import { useActions } from "./useActions";

const deletedQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "sections", "deleted"],
    queryFn: async ({ signal }) => (await answer(api.GET("/categories", { params: { query: { view: "menu", "filter.is_deleted": true } }, signal }))).result,
  });

// Deleted lists the deleted sections that can be restored, each with what was below it.
export function Deleted({ shop, search, writes }: { shop: string; search: SectionSearch; writes: boolean }) {
  const { say } = useWords(words);
  const list = useQuery(deletedQuery(shop));
  const tree = useMemo(() => new SectionTree(list.data ?? []), [list.data]);
  const { restoring } = useActions(shop, tree);
  if (list.isError) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const query = search.q?.toLowerCase() ?? "";
  const tops = (list.data ?? []).filter((s) => !tree.parentOf(s) && (!search.kind || s.type === search.kind) && s.name.toLowerCase().includes(query));
  if (list.data && tops.length === 0) {
    return (
      <Text py="xl" ta="center" c="dimmed">
        {say(list.data.length ? "noSections" : "noDeleted")}
      </Text>
    );
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {say("deletedHelp")}
      </Text>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {tops.map((s) => (
            <Table.Tr key={s.id}>
              <Table.Td>
                <Group gap="xs" wrap="nowrap" align="flex-start">
                  <KindIcon kind={s.type} />
                  <div>
                    <Text size="sm" fw={500} dir="auto">
                      {s.name}
                    </Text>
                    {tree.count(s.id) > 0 && (
                      <Text size="xs" c="dimmed">
                        {say("withBelow", { n: tree.count(s.id) })}
                      </Text>
                    )}
                  </div>
                </Group>
              </Table.Td>
              <Table.Td ta="right">
                {writes && (
                  <Button size="xs" variant="default" aria-label={`${say("restore")}: ${s.name}`} loading={restoring.isPending && restoring.variables === s} onClick={() => restoring.mutate(s)}>
                    {say("restore")}
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
