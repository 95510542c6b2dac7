import { Button, Card, Divider, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { answer, api } from "../../api/client";
import { Ask } from "../../parts/Ask";
import { failed } from "../../parts/notice";
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
        {list.data.map((i) => (
          <Fragment key={i.id}>
            <Divider />
            <Group justify="space-between" align="flex-start">
              <Stack gap={2} flex="1 1 200px" miw={0}>
                <Text size="sm" fw={600}>
                  {i.system}, {new Date(i.created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })}
                </Text>
                <Text size="xs" c="dimmed" dir="auto" style={{ overflowWrap: "anywhere" }}>
                  {i.files.join(", ")}
                </Text>
                <Tally written={i.counts} />
              </Stack>
              {i.undone_at ? (
                <Text size="sm">{say("undone")}</Text>
              ) : (
                <Button variant="default" onClick={() => setAsked(i)}>
                  {say("undo")}
                </Button>
              )}
            </Group>
          </Fragment>
        ))}
      </Stack>
      {asked && <Ask title={say("undoTitle")} text={say("undoText")} yes={say("undo")} doing={undo.isPending} onYes={() => undo.mutate(asked.id)} onClose={() => setAsked(undefined)} />}
    </Card>
  );
}
