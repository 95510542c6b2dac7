import { Alert, Card, Progress, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { words } from "../../words/movein";
import type { Written } from "./movein";
import { Losses } from "./PlanView";
import { Tally } from "./Tally";

// WrittenView says what an import wrote, and how far its pictures are.
export function WrittenView({ id, written }: { id: string; written: Written }) {
  const { say } = useWords(words);
  const one = useQuery({
    queryKey: ["import", id],
    queryFn: async () => (await answer(api.GET("/v1/imports/{id}", { params: { path: { id } } }))).result,
    refetchInterval: ({ state: { data } }) => (data?.pictures && data.pictures.done < data.pictures.total ? 1000 : false),
  });
  const pictures = one.data?.pictures;
  return (
    <Card component="section" withBorder>
      <Stack>
        <Title order={2} size="h4">
          {say("result")}
        </Title>
        <Alert variant="light" role="status">
          {say(written.written.length ? "done" : "nothingNew")}
        </Alert>
        <Tally written={written.written} />
        {pictures && pictures.total > 0 && (
          <>
            <Progress value={(100 * pictures.done) / pictures.total} animated={pictures.done < pictures.total} aria-label={say("fetching", { done: pictures.done, total: pictures.total })} />
            <Text size="sm" role="status">
              {say("fetching", { done: pictures.done, total: pictures.total })}
            </Text>
          </>
        )}
        {pictures && pictures.failed.length > 0 && (
          <Stack gap="xs">
            <Title order={3} size="h5">
              {say("notFetched")}
            </Title>
            <WideTable label={say("notFetched")} minWidth={360}>
              <Table verticalSpacing={4}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{say("address")}</Table.Th>
                    <Table.Th>{say("why")}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {pictures.failed.slice(0, 100).map((f) => (
                    <Table.Tr key={f.address}>
                      <Table.Td dir="ltr" style={{ overflowWrap: "anywhere" }}>
                        {f.address}
                      </Table.Td>
                      <Table.Td>{f.reason}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </WideTable>
          </Stack>
        )}
        <Losses plan={written} />
      </Stack>
    </Card>
  );
}
