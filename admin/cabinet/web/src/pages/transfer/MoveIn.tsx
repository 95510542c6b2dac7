import { Alert, Badge, Button, FileButton, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { goes, JobProgress, useJob } from "../../parts/job";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/movein";
import { begin, type Answers, type Plan, type Written } from "./movein";
import { MoveIns } from "./MoveIns";
import { PlanView } from "./PlanView";
import { WrittenView } from "./WrittenView";

// MoveIn brings a shop from another system: files, their plan, the import, and how to undo it.
export function MoveIn() {
  const { shop } = useParams({ from: "/$shop/transfer/move-in" });
  const { job: id } = useSearch({ from: "/$shop/transfer/move-in" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: job } = useJob(id);
  const ended = job && !goes(job);
  useEffect(() => {
    if (ended) void queries.invalidateQueries({ queryKey: [shop] });
  }, [ended, queries, shop]);
  const undoes = job?.kind === "move_in_undo";
  return (
    <Stack maw={960}>
      <Title order={1} size="h2">
        {say("title")}
      </Title>
      <JobProgress id={id} label={say("title")} runs={(done, total) => say(undoes ? "undoRuns" : "runs", { done, total })} ended={say(undoes ? "undoFailed" : "failed")} />
      {job?.state === "done" && job.kind === "move_in" && <WrittenView id={job.id} written={job.result as Written} />}
      {job?.state === "done" && undoes && (
        <Alert variant="light" role="status">
          {say("undoDone")}
        </Alert>
      )}
      {!(goes(job) && job?.kind !== "move_in_plan") && <Begin key={shop} planned={job?.kind === "move_in_plan" && job.state === "done" ? (job.result as Plan) : undefined} />}
      <MoveIns shop={shop} key={job?.state} />
    </Stack>
  );
}

function Begin({ planned }: { planned: Plan | undefined }) {
  const { say } = useWords(words);
  const navigate = useNavigate({ from: "/$shop/transfer/move-in" });
  const [files, setFiles] = useState<File[]>([]);
  const [answers, setAnswers] = useState<Answers>({});
  const to = (job: string) => void navigate({ search: { job: Number(job) }, replace: true });
  const read = useMutation({
    mutationFn: (w: { files: File[]; answers: Answers }) => begin(w.files, w.answers, true),
    onSuccess: (got) => "id" in got && to(got.id),
  });
  const run = useMutation({
    mutationFn: () => begin(files, answers, false),
    onSuccess: (got) => {
      if (!("id" in got)) return;
      read.reset(); // the plan is carried out
      setFiles([]);
      to(got.id);
    },
    onError: (error) => failed(say, error),
  });
  useShownCall({ method: "POST", path: "/v1/imports", form: [...(files.length ? files.map((f) => "files[]=@" + f.name) : ["files[]=@export.csv"]), "options=" + JSON.stringify(answers), ...(read.data ? [] : ["dry_run=true"])] });

  function choose(list: File[]) {
    if (list.length === 0) return;
    setFiles(list);
    setAnswers({});
    read.mutate({ files: list, answers: {} });
  }
  function reply(key: string, choice: string) {
    const next = { ...answers, [key]: choice };
    setAnswers(next);
    read.mutate({ files, answers: next });
  }
  const plan = read.data && !("id" in read.data) ? read.data : planned;
  return (
    <Stack>
      <Paper
        withBorder
        p="lg"
        component="section"
        aria-label={say("files")}
        style={{ borderStyle: "dashed" }}
        onDragOver={(e) => e.preventDefault()}
        onDrop={(e) => {
          e.preventDefault();
          choose([...e.dataTransfer.files]);
        }}
      >
        <Stack align="center" gap="xs">
          <IconFileUpload size={32} aria-hidden />
          <Text fw={600} ta="center">
            {say("dropHere")}
          </Text>
          <Text size="sm" c="dimmed" ta="center">
            {say("text")}
          </Text>
          <Text size="sm" c="dimmed" ta="center">
            {say("dropHint")}
          </Text>
          <FileButton multiple onChange={choose} accept=".csv,.tsv,.txt,.xml,.json,.yaml,.yml">
            {(props) => (
              <Button {...props} variant="default">
                {say("chooseFiles")}
              </Button>
            )}
          </FileButton>
          <Group gap="xs" justify="center">
            {files.map((f) => (
              <Badge key={f.name + f.size} variant="light" tt="none" maw={300} dir="auto">
                {f.name}
              </Badge>
            ))}
          </Group>
        </Stack>
      </Paper>
      {read.isPending && !plan && <Text role="status">{say("reading")}</Text>}
      {read.isError && <Failure error={read.error} />}
      {plan && !read.isError && (
        <PlanView plan={plan} onReply={reply}>
          {files.length > 0 && (
            <Button loading={run.isPending} disabled={read.isPending} onClick={() => run.mutate()}>
              {say("begin")}
            </Button>
          )}
        </PlanView>
      )}
    </Stack>
  );
}
