// Jobs go on while the page is closed: their id is in the address, so that a reload finds them.
import { Alert, Button, Progress, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../api/client";
import { Failure } from "../frame/Failure";
import { useWords } from "../words";
import { words } from "../words/job";
import { failed } from "./notice";

export type Job = Schemas["JobView"];

const keyOf = (id: number | undefined) => ["job", id];
export const goes = (job: Job | undefined) => job?.state === "queued" || job?.state === "running";

// useJob asks how far a job is until it has ended.
export function useJob(id: number | undefined) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: async () => (await answer(api.GET("/v1/jobs/{id}", { params: { path: { id: String(id) } } }))).result,
    enabled: id !== undefined,
    refetchInterval: (query) => (goes(query.state.data) ? 1000 : false),
  });
}

// JobProgress shows a job that goes on, with the button that stops it, or why it failed.
export function JobProgress({ id, label, runs, ended }: { id: number | undefined; label: string; runs: (done: number, total: string | number) => string; ended: string }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const job = useJob(id);
  const stop = useMutation({
    mutationFn: async () => (await answer(api.DELETE("/v1/jobs/{id}", { params: { path: { id: String(id) } } }))).result,
    onSuccess: (stopped) => queries.setQueryData(keyOf(id), stopped),
    onError: (error) => failed(say, error),
  });
  const j = job.data;
  if (job.isError) return <Failure error={job.error} retry={() => void job.refetch()} />;
  if (j && goes(j))
    return (
      <>
        <Progress value={j.total ? (100 * j.done) / j.total : 0} animated aria-label={label} />
        <Text size="sm" role="status">
          {j.state === "queued" ? say("jobWaits") : runs(j.done, j.total || "…")}
        </Text>
        <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()} style={{ alignSelf: "flex-start" }}>
          {say("stopJob")}
        </Button>
      </>
    );
  if (j?.state === "failed")
    return (
      <Alert variant="light" color="orange" role="alert">
        {ended} {j.error}
      </Alert>
    );
  return null;
}
