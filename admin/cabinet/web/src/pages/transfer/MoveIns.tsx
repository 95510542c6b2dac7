import { Button, Card, Stack, Table, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Ask } from "../../parts/Ask";
import { failed } from "../../parts/notice";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { words } from "../../words/movein";
import type { Import } from "./movein";
import { Tally } from "./Tally";

// MoveIns lists the imports of the shop, each of which can be undone.
export function MoveIns({ shop }: { shop: string }) {
  const { say, language } = useWords(words);
  const navigate = useNavigate({ from: "/$shop/transfer/move-in" });
  const [asked, setAsked] = useState<Import>();
  const list = useQuery({ queryKey: [shop, "imports"], queryFn: async () => (await answer(api.GET("/v1/imports", {}))).result });
  const undo = useMutation({
    mutationFn: async (id: string) => (await answer(api.POST("/v1/imports/{id}/undo", { params: { path: { id } } }))).result,
    onSuccess: (job) => {
      setAsked(undefined);
      void navigate({ search: { job: Number(job.id) }, replace: true });
    },
    onError: (error) => failed(say, error),
  });
  if (!list.data?.length) return null;
  return (
    <Card component="section" withBorder>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {say("earlier")}
        </Title>
        <WideTable label={say("earlier")} minWidth={420}>
          <Table verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{say("when")}</Table.Th>
                <Table.Th>{say("files")}</Table.Th>
                <Table.Th>{say("written")}</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.data.map((i) => (
                <Table.Tr key={i.id}>
                  <Table.Td valign="top">{new Date(i.created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}</Table.Td>
                  <Table.Td valign="top">
                    <Text size="sm">{i.system}</Text>
                    <Text size="xs" c="dimmed" dir="auto" style={{ overflowWrap: "anywhere" }}>
                      {i.files.join(", ")}
                    </Text>
                  </Table.Td>
                  <Table.Td valign="top">
                    <Tally written={i.counts} />
                  </Table.Td>
                  <Table.Td valign="top" ta="right">
                    {i.undone_at ? (
                      <Text size="sm">{say("undone")}</Text>
                    ) : (
                      <Button variant="default" size="compact-sm" onClick={() => setAsked(i)}>
                        {say("undo")}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      </Stack>
      {asked && <Ask title={say("undoTitle")} text={say("undoText")} yes={say("undo")} doing={undo.isPending} onYes={() => undo.mutate(asked.id)} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}
