import { ActionIcon, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Refusal } from "../api/client";
import { copied, upload } from "../api/upload";
import { explained } from "../frame/Failure";
import { useWords, type Say } from "../words";
import { Leaving } from "./Leaving";

export interface Upload {
  key: number;
  name: string;
  done: number; // 0 to 1
  failure?: string; // it stopped, and can be tried again
}

interface Job<S> {
  key: number;
  source: S;
  stop: AbortController;
}

// useUploads stores files of the library, or copies of pictures by their addresses on the web, a few
// at a time, and calls onStored with the id of each. One that failed waits until the person tries again or gives up. Leaving the page stops them.
export function useUploads<S extends File | string = File>(onStored: (id: string, source: S) => void, lanes = 1) {
  const { say } = useWords();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const stored = useRef(onStored);
  stored.current = onStored;
  const jobs = useRef(new Map<number, Job<S>>());
  const waiting = useRef<Job<S>[]>([]);
  const running = useRef(0);
  const next = useRef(0);
  useEffect(() => {
    const all = jobs.current;
    return () => {
      waiting.current = [];
      for (const job of all.values()) job.stop.abort();
    };
  }, []);

  const change = (key: number, part: Partial<Upload>) => setUploads((u) => u.map((x) => (x.key === key ? { ...x, ...part } : x)));
  function forget(key: number) {
    jobs.current.delete(key);
    setUploads((u) => u.filter((x) => x.key !== key));
  }

  async function run(job: Job<S>) {
    running.current++;
    try {
      const { source, stop } = job;
      const id = await patiently(() => (typeof source === "string" ? copied(source, stop.signal) : upload(source, (done) => change(job.key, { done }), stop.signal)), stop.signal);
      forget(job.key);
      stored.current(id, source);
    } catch (fault) {
      if (!job.stop.signal.aborted) change(job.key, { failure: reason(fault, say), done: 0 });
    } finally {
      running.current--;
      start();
    }
  }

  function start() {
    while (running.current < lanes && waiting.current.length > 0) void run(waiting.current.shift()!);
  }

  return {
    uploads,
    add(sources: Iterable<S>) {
      const added = [...sources].map((source) => ({ key: next.current++, source, stop: new AbortController() }));
      for (const job of added) jobs.current.set(job.key, job);
      setUploads((u) => [...u, ...added.map(({ key, source }) => ({ key, name: typeof source === "string" ? source : source.name, done: 0 }))]);
      waiting.current.push(...added);
      start();
    },
    cancel(key: number) {
      waiting.current = waiting.current.filter((j) => j.key !== key);
      jobs.current.get(key)?.stop.abort();
      forget(key);
    },
    retry(key: number) {
      const job = jobs.current.get(key);
      if (!job) return;
      setUploads((u) => u.map((x) => (x.key === key ? { key, name: x.name, done: 0 } : x)));
      waiting.current.push(job);
      start();
    },
  };
}

// reason says why a file was not stored.
function reason(fault: unknown, say: Say): string {
  const code = fault instanceof Refusal ? fault.code : "";
  if (code === "FILE_NOT_IMAGE" || code === "IMAGE_BROKEN") return say("notAPicture");
  if (code === "STORAGE_LIMIT_REACHED") return say("storageFull");
  return explained(fault, say);
}

// patiently repeats a call that came too early for the shop's limit of calls a minute.
export async function patiently<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (fault) {
      if (!(fault instanceof Refusal) || fault.code !== "RATE_LIMITED" || tries === 12 || signal?.aborted) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 5000));
    }
  }
}

// UploadList shows uploads that are on their way or failed. It asks before the person leaves the page
// and stops them.
export function UploadList({ uploads, cancel, retry }: Pick<ReturnType<typeof useUploads>, "uploads" | "cancel" | "retry">) {
  const { say } = useWords();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => uploads.length > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => uploads.length > 0,
    withResolver: true,
  });
  const leaving = <Leaving blocker={blocker} text={say("leaveUploads")} />;
  if (uploads.length === 0) return leaving;
  return (
    <Stack gap="xs" role="group" aria-label={say("uploads")} mah={320} style={{ overflowY: "auto" }}>
      {uploads.map((u) => (
        <Group key={u.key} wrap="nowrap" gap="xs">
          <Stack gap={4} flex={1} miw={0}>
            <Text size="sm" truncate dir="auto">
              {u.name}
            </Text>
            {u.failure ? (
              <Text size="sm" c="red" role="alert">
                {u.failure}
              </Text>
            ) : (
              <Progress value={u.done * 100} aria-label={u.name} />
            )}
          </Stack>
          {u.failure && (
            <Button size="compact-sm" variant="default" onClick={() => retry(u.key)}>
              {say("retry")}
            </Button>
          )}
          <ActionIcon variant="subtle" color="gray" aria-label={`${say("cancel")}: ${u.name}`} onClick={() => cancel(u.key)}>
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      {leaving}
    </Stack>
  );
}
