import { ActionIcon, Button, Code, CopyButton, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTerminal2 } from "@tabler/icons-react";
import { useEffect, useSyncExternalStore } from "react";
import { currentShop } from "../api/client";
import { useWords } from "../words";

// ShownCall is a call of the API that the page makes, or is about to make. Its body is the one that
// is sent.
export interface ShownCall {
  method: string;
  path: string;
  body?: unknown;
  file?: string; // that is sent as the body
  form?: string[]; // fields of a form: name=value, name=@file
  session?: boolean; // keys are refused
  draft?: boolean; // keys of the draft write there
}

let shown: (() => ShownCall) | null = null;
const listeners = new Set<() => void>();

function show(call: (() => ShownCall) | null) {
  shown = call;
  listeners.forEach((tell) => tell());
}

// useShownCall tells the frame which call "As a call" shows. A call that takes long to write is given as
// a function.
export function useShownCall(call: ShownCall | (() => ShownCall)) {
  useEffect(() => {
    show(typeof call === "function" ? call : () => call);
    return () => show(null);
  });
}

// curl writes a call for a shell: single quotes protect everything but themselves.
export function curl(call: ShownCall): string {
  const quote = (s: string) => "'" + s.replaceAll("'", `'\\''`) + "'";
  const lines = [`curl -s -H "Authorization: Bearer ${call.session ? "$VITRINE_SESSION" : call.draft ? "$VITRINE_DRAFT_KEY" : "$VITRINE_KEY"}"`];
  if (call.session && currentShop()) lines.push("-H " + quote("X-Vitrine-Shop: " + currentShop()));
  if (call.method !== "GET") lines.push("-X " + call.method);
  if (call.body !== undefined) lines.push("-H 'Content-Type: application/json'", "-d " + quote(JSON.stringify(call.body)));
  if (call.file) lines.push("-H 'Content-Type: text/csv'", "--data-binary " + quote("@" + call.file));
  for (const field of call.form ?? []) lines.push("-F " + quote(field));
  lines.push(quote(location.origin + call.path));
  return lines.join(" \\\n  ");
}

// CallButton opens the call of the page.
export function CallButton() {
  const { say } = useWords();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <ActionIcon variant="default" size="lg" aria-label={say("asCall")} title={say("asCall")} onClick={open}>
        <IconTerminal2 size={18} />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title={say("asCall")} size="lg" closeButtonProps={{ "aria-label": say("close") }}>
        <Shown />
      </Modal>
    </>
  );
}

function Shown() {
  const call = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => shown,
  );
  const made = call?.();
  return <CallText text={made ? curl(made) : ""} session={made?.session} draft={made?.draft} />;
}

// CallText is a call to read and to copy.
export function CallText({ text, session, draft }: { text: string; session?: boolean | undefined; draft?: boolean | undefined }) {
  const { say } = useWords();
  return (
    <Stack>
      <Text size="sm">{say(session ? "asSessionText" : draft ? "asDraftText" : "asCallText")}</Text>
      <Code block tabIndex={0} mah={400} style={{ overflow: "auto", whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <Group justify="flex-end">
        <CopyButton value={text}>{({ copied, copy }) => <Button onClick={copy}>{say(copied ? "copied" : "copy")}</Button>}</CopyButton>
      </Group>
    </Stack>
  );
}
