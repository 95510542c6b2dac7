import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { goes, JobProgress, useJob } from "../../parts/job";
import { ButtonAnchor } from "../../parts/links";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/transfer";

// Whole writes the whole shop into a file.
export function Whole() {
  const { say, language } = useWords(words);
  const { job: id } = useSearch({ from: "/$shop/transfer" });
  const navigate = useNavigate({ from: "/$shop/transfer" });
  const { data: job } = useJob(id);
  const begin = useMutation({
    mutationFn: async () => (await answer(api.POST("/v1/shop/export", {}))).result,
    onSuccess: (made) => {
      void navigate({ search: { job: Number(made.id) }, replace: true });
    },
    onError: (error) => failed(say, error),
  });
  const made = job?.state === "done" ? (job.result as { url: string; size: string; expires_at: string }) : undefined;
  return (
    <Card component="section" withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say("wholeTitle")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("wholeText")}
        </Text>
        <JobProgress id={id} label={say("wholeTitle")} runs={(done, total) => say("jobRuns", { done, total })} ended={say("jobFailed")} />
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
        {!goes(job) && (
          <Group>
            <Button variant={made?.url ? "default" : "filled"} loading={begin.isPending} onClick={() => begin.mutate()}>
              {say("beginExport")}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
