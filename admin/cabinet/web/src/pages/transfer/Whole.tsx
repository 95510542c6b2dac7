import { Alert, Button, Card, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { ButtonAnchor } from "../../parts/links";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/transfer";

// Whole writes the whole shop into a file. The job is in the address, so that a reload finds it again.
export function Whole({ shop }: { shop: string }) {
  const { say, language } = useWords(words);
  const { job: id } = useSearch({ from: "/$shop/transfer" });
  const navigate = useNavigate({ from: "/$shop/transfer" });
  const queries = useQueryClient();
  const key = [shop, "job", id];
  const job = useQuery({
    queryKey: key,
    queryFn: async () => (await answer(api.GET("/v1/jobs/{id}", { params: { path: { id: String(id) } } }))).result,
    enabled: id !== undefined,
    refetchInterval: (query) => (query.state.data && ["queued", "running"].includes(query.state.data.state) ? 1000 : false),
  });
  const begin = useMutation({
    mutationFn: async () => (await answer(api.POST("/v1/shop/export", {}))).result,
    onSuccess: (made) => {
      void navigate({ search: { job: Number(made.id) }, replace: true });
    },
    onError: (error) => failed(say, error),
  });
  const stop = useMutation({
    mutationFn: async () => (await answer(api.DELETE("/v1/jobs/{id}", { params: { path: { id: String(id) } } }))).result,
    onSuccess: (stopped) => queries.setQueryData(key, stopped),
    onError: (error) => failed(say, error),
  });
  const j = job.data;
  const going = j?.state === "queued" || j?.state === "running";
  const made = j?.state === "done" ? (j.result as { url: string; size: string; expires_at: string }) : undefined;
  return (
    <Card component="section" withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say("wholeTitle")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("wholeText")}
        </Text>
        {job.isError && <Failure error={job.error} retry={() => void job.refetch()} />}
        {going && (
          <>
            <Progress value={j.total ? (100 * j.done) / j.total : 0} animated aria-label={say("wholeTitle")} />
            <Text size="sm" role="status">
              {say(j.state === "queued" ? "jobWaits" : "jobRuns", { done: j.done, total: j.total || "…" })}
            </Text>
          </>
        )}
        {j?.state === "failed" && (
          <Alert variant="light" color="orange" role="alert">
            {say("jobFailed")} {j.error}
          </Alert>
        )}
        {made?.url && (
          <Group>
            <ButtonAnchor href={made.url} download leftSection={<IconDownload size={16} />}>
              {say("downloadShop", { size: (Number(made.size) / 1e6).toLocaleString(language, { maximumFractionDigits: 1 }) })}
            </ButtonAnchor>
            <Text size="sm" c="dimmed">
              {say("keptUntil", { date: new Date(made.expires_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) })}
            </Text>
          </Group>
        )}
        <Group>
          {going ? (
            <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
              {say("stopJob")}
            </Button>
          ) : (
            <Button variant={made?.url ? "default" : "filled"} loading={begin.isPending} onClick={() => begin.mutate()}>
              {say("beginExport")}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
