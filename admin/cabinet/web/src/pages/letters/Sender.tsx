import { Badge, Button, Card as Panel, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { Copied } from "../../parts/Copied";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/letters";

const domainQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "letters", "domain"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/shop/letters/domain", { signal }))).result });

// Sender says where letters come from, and what is missing for them to come from the shop's domain.
export function Sender({ shop }: { shop: string }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const domain = useQuery(domainQuery(shop));
  const check = useMutation({
    mutationFn: async () => (await answer(api.POST("/v1/shop/letters/domain", {}))).result,
    onSuccess: (view) => {
      const known = domain.data?.record_name;
      queries.setQueryData(domainQuery(shop).queryKey, view);
      if (known) told(say, view.is_verified ? say("verified", { domain: view.domain }) : say("recordMissing"));
    },
    onError: (error) => failed(say, error),
  });
  const d = domain.data;
  return (
    <Panel withBorder>
      <Stack gap="sm">
        <Group gap="xs">
          <Title order={2} size="h4">
            {say("sender")}
          </Title>
          {d?.is_verified && (
            <Badge variant="light" tt="none">
              shop@{d.domain}
            </Badge>
          )}
        </Group>
        {domain.isError ? (
          <Failure error={domain.error} retry={() => void domain.refetch()} />
        ) : d === undefined ? (
          <Skeleton h={60} />
        ) : !d.domain ? (
          <Text size="sm">{say("noDomain")}</Text>
        ) : !d.record_name ? (
          <Text size="sm">{say("platformSender", { domain: d.domain })}</Text>
        ) : (
          <>
            <Text size="sm">{say(d.is_verified ? "verified" : "addRecord", { domain: d.domain })}</Text>
            <Table.ScrollContainer minWidth={520}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{say("recordType")}</Table.Th>
                    <Table.Th>{say("recordName")}</Table.Th>
                    <Table.Th>{say("recordValue")}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  <Table.Tr>
                    <Table.Td>TXT</Table.Td>
                    <Table.Td>
                      <Copied text={d.record_name} />
                    </Table.Td>
                    <Table.Td>
                      <Copied text={d.record_value} />
                    </Table.Td>
                  </Table.Tr>
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          </>
        )}
        {d?.domain && (
          <Group>
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
              {say(d.record_name ? "check" : "makeKey")}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
