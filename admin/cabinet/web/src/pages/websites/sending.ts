import { useEffect, useRef, useState } from "react";
import { Refusal } from "../../api/client";
import { put } from "../../api/upload";
import { explained } from "../../frame/Failure";
import { patiently } from "../../parts/uploads";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import type { Picked } from "./folder";
import { calls, type Kind, type Limits } from "./kinds";

const lanes = 6; // files on their way at once: as many connections as browsers open to one host

export interface Sending {
  stage: "reading" | "sending" | "making";
  files: number; // to send; of an archive 1
  sent: number;
  bytes: number;
  arrived: number;
  reused: number; // files that the shop has already
  failed: { path: string; why: string }[]; // with nothing on its way any more: they can be tried again
}

interface Waiting {
  release: string;
  rest: { file: File; path: string; url: string }[];
}

const nothing: Sending = { stage: "reading", files: 0, sent: 0, bytes: 0, arrived: 0, reused: 0, failed: [] };

// useSending makes releases of what a person gives: the manifest first, then the files that the shop does
// not have, a few at a time. Files that failed wait until they are tried again or given up. Leaving
// the page stops it.
export function useSending(kind: Kind, id: string, onMade: (release: string) => void) {
  const { say } = useWords(words);
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);
  const waiting = useRef<Waiting>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  // attempt runs one way of sending.
  async function attempt(run: (signal: AbortSignal) => Promise<string | undefined>) {
    stop.current?.abort();
    const own = (stop.current = new AbortController());
    setFailure(undefined);
    try {
      const release = await run(own.signal);
      if (release === undefined || own.signal.aborted) return;
      setSending(undefined);
      onMade(release);
    } catch (error) {
      if (own.signal.aborted) return;
      setSending(undefined);
      setFailure(error);
    }
  }

  // sendRest sends what has not arrived, and returns the release if nothing failed.
  async function sendRest(work: Waiting, signal: AbortSignal): Promise<string | undefined> {
    const queue = [...work.rest];
    const failed: Sending["failed"] = [];
    const under = new Map<string, number>(); // bytes of files on their way
    let arrived = 0;
    let shown = 0;
    const total = queue.reduce((n, f) => n + f.file.size, 0);
    const count = queue.length;
    const tell = (force: boolean) => {
      const now = performance.now();
      if (!force && now - shown < 100) return; // 2,000 files would draw the page 2,000 times
      shown = now;
      const moving = [...under.values()].reduce((a, b) => a + b, 0);
      setSending((s) => s && { ...s, stage: "sending", files: count, sent: count - work.rest.length, bytes: total, arrived: arrived + moving, failed: [] });
    };
    tell(true);
    async function lane() {
      for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
        const f = next;
        try {
          await patiently(() => put(f.url, f.file, (done) => (under.set(f.path, done * f.file.size), tell(false)), signal), signal);
          work.rest = work.rest.filter((r) => r !== f);
          arrived += f.file.size;
        } catch (error) {
          if (signal.aborted) return;
          failed.push({ path: f.path, why: explained(error, say) });
        }
        under.delete(f.path);
        tell(false);
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    if (signal.aborted) return undefined;
    if (failed.length === 0) return work.release;
    setSending((s) => s && { ...s, sent: count - work.rest.length, arrived, failed });
    return undefined;
  }

  return {
    sending,
    failure,
    sendFiles(files: Picked[], limits: Limits, base: string) {
      setSending({ ...nothing, files: files.length });
      void attempt(async (signal) => {
        checkSize(files, limits, say("tooMuch"));
        const list = await hashed(files, signal, (sent) => setSending((s) => s && { ...s, sent }), say("needsHTTPS"));
        const made = await patiently(() => calls[kind].announce(id, { base, files: list.map(({ path, file, sha256 }) => ({ path, sha256, size: file.size })) }), signal);
        const byPath = new Map(list.map((f) => [f.path, f.file]));
        const rest = made.upload.map((u) => ({ path: u.path, url: u.upload_url, file: byPath.get(u.path)! }));
        waiting.current = { release: made.release_id, rest };
        setSending({ ...nothing, stage: "sending", reused: made.reused.length });
        return sendRest(waiting.current, signal);
      });
    },
    sendArchive(file: File | null, base: string, from?: string) {
      const bytes = file?.size ?? 0;
      setSending({ ...nothing, stage: "sending", files: 1, bytes });
      void attempt((signal) => calls[kind].zip(id, base, file, from, (done) => setSending((s) => s && { ...s, stage: done < 1 ? "sending" : "making", arrived: done * bytes }), signal));
    },
    again() {
      if (waiting.current) void attempt((signal) => sendRest(waiting.current!, signal));
    },
    cancel() {
      stop.current?.abort();
      setSending(undefined);
      if (waiting.current) void calls[kind].remove(id, waiting.current.release).catch(() => {}); // else it waits a day for its files
      waiting.current = undefined;
    },
  };
}

// checkSize refuses what is far beyond the limits before its bytes are read. Everything else is for the
// API to refuse, by path.
function checkSize(files: Picked[], limits: Limits, text: string) {
  const bytes = files.reduce((n, f) => n + f.file.size, 0);
  const most = Number(limits.release_bytes) || limits.files * Number(limits.file_bytes);
  const largest = files.find((f) => f.file.size > Number(limits.file_bytes));
  if (largest) throw new Refusal(400, "RELEASE_TOO_LARGE", `${largest.path}: ${text}`);
  if (files.length > limits.files || bytes > most) throw new Refusal(400, "RELEASE_TOO_LARGE", text);
}

async function hashed(files: Picked[], signal: AbortSignal, progress: (n: number) => void, without: string) {
  if (!("subtle" in crypto)) throw new Error(without);
  const list: (Picked & { sha256: string })[] = [];
  for (const f of files) {
    if (signal.aborted) throw new DOMException("aborted", "AbortError");
    const sum = await crypto.subtle.digest("SHA-256", await f.file.arrayBuffer());
    list.push({ ...f, sha256: Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, "0")).join("") });
    if (list.length % 50 === 0) progress(list.length);
  }
  return list;
}
