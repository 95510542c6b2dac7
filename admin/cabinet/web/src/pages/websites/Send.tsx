import { Alert, Button, FileButton, Group, List, Modal, Progress, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconCode, IconFileZip, IconFolder, IconLink } from "@tabler/icons-react";
import { useBlocker } from "@tanstack/react-router";
import { useRef, useState, type DragEvent } from "react";
import { Failure } from "../../frame/Failure";
import { Form } from "../../parts/Form";
import { Leaving } from "../../parts/Leaving";
import { Panel } from "../../parts/Panel";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { chosen, dropped, type Folder } from "./folder";
import type { Kind, Limits } from "./kinds";
import { useSending, type Sending } from "./sending";

const isZip = (f: File) => /\.zip$/i.test(f.name) || f.type === "application/zip";

// Send takes a website: a folder, files or a ZIP that are dropped or chosen, a page that is pasted, or
// the address of one. It makes a release; nothing is published here.
export function Send({ kind, id, limits, live, onMade }: { kind: Kind; id: string; limits: Limits; live: boolean; onMade: (release: string) => void }) {
  const { say, language } = useWords(words);
  const [base, setBase] = useState<"none" | "active">("none");
  const [over, setOver] = useState(false);
  const [typing, setTyping] = useState<"page" | "address">();
  const [left, setLeft] = useState<string[]>([]);
  const [wrong, setWrong] = useState<Folder["wrong"]>();
  const folder = useRef<HTMLInputElement>(null);
  const send = useSending(kind, id, onMade);
  const busy = send.sending !== undefined;
  const on = live ? base : "none";
  const size = (bytes: string) => sizeText(Number(bytes), language);

  function begin(f: Folder) {
    setLeft(f.left);
    setWrong(f.wrong);
    if (f.wrong) return;
    const [first] = f.files;
    if (f.files.length === 1 && first && isZip(first.file)) send.sendArchive(first.file, on);
    else send.sendFiles(f.files, limits, on);
  }
  function drop(e: DragEvent) {
    e.preventDefault();
    setOver(false);
    if (!busy) void dropped(e.dataTransfer).then(begin);
  }

  return (
    <Panel title={say("bring")} text={say("bringText")}>
      {send.sending ? (
        <Progressing sending={send.sending} onAgain={send.again} onCancel={send.cancel} />
      ) : (
        <>
          <Stack
            align="center"
            gap="sm"
            p="lg"
            data-drop
            style={{ border: `2px dashed var(--mantine-color-${over ? "blue-6" : "default-border"})`, borderRadius: 8 }}
            onDragOver={(e) => {
              e.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={drop}
          >
            <Text size="sm" visibleFrom="sm">
              {say("dropHere")}
            </Text>
            <Group gap="xs" justify="center">
              <input
                ref={(e) => {
                  folder.current = e;
                  e?.setAttribute("webkitdirectory", "");
                }}
                type="file"
                multiple
                hidden
                aria-label={say("chooseFolder")}
                onChange={(e) => {
                  const files = [...(e.currentTarget.files ?? [])];
                  e.currentTarget.value = "";
                  if (files.length > 0) void chosen(files).then(begin);
                }}
              />
              <Button leftSection={<IconFolder size={16} />} onClick={() => folder.current?.click()}>
                {say("chooseFolder")}
              </Button>
              <FileButton accept=".zip,application/zip" onChange={(f) => f && send.sendArchive(f, on)}>
                {(props) => (
                  <Button {...props} variant="default" leftSection={<IconFileZip size={16} />}>
                    {say("chooseZip")}
                  </Button>
                )}
              </FileButton>
              <Button variant="default" leftSection={<IconCode size={16} />} onClick={() => setTyping("page")}>
                {say("pastePage")}
              </Button>
              <Button variant="default" leftSection={<IconLink size={16} />} onClick={() => setTyping("address")}>
                {say("byAddress")}
              </Button>
            </Group>
            <Text size="sm" c="dimmed" ta="center">
              {say(Number(limits.release_bytes) ? "limitsRelease" : "limitsFolder", {
                files: limits.files,
                index: size(limits.index_bytes),
                file: size(limits.file_bytes),
                raster: size(limits.raster_bytes),
                release: size(limits.release_bytes),
                zip: size(limits.zip_bytes),
                expanded: size(limits.zip_expanded_bytes),
                path: limits.path_bytes,
              })}
            </Text>
          </Stack>
          {live && (
            <Radio.Group label={say("filesBecome")} value={base} onChange={(v) => setBase(v as "none")}>
              <Stack gap="xs" mt={4}>
                <Radio value="none" label={say("baseNone")} />
                <Radio value="active" label={say("baseActive")} />
              </Stack>
            </Radio.Group>
          )}
        </>
      )}
      {wrong && <Alert color="red" variant="light" role="alert" title={say(wrong)} />}
      {send.failure !== undefined && <Failure error={send.failure} />}
      {left.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {say("leftOut", { n: left.length, some: left.slice(0, 5).join(", ") })}
        </Text>
      )}
      {typing === "page" && (
        <PasteDialog
          onClose={() => setTyping(undefined)}
          onPage={(text) => {
            setTyping(undefined);
            send.sendFiles([{ path: "index.html", file: new File([text], "index.html", { type: "text/html" }) }], limits, live ? "active" : "none");
          }}
        />
      )}
      {typing === "address" && (
        <AddressDialog
          onClose={() => setTyping(undefined)}
          onAddress={(address) => {
            setTyping(undefined);
            send.sendArchive(null, on, address);
          }}
        />
      )}
    </Panel>
  );
}

// Progressing shows how far the files are, and those that failed.
function Progressing({ sending, onAgain, onCancel }: { sending: Sending; onAgain: () => void; onCancel: () => void }) {
  const { say, language } = useWords(words);
  const { stage, files, sent, bytes, arrived, reused, failed } = sending;
  const blocker = useBlocker({ shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname, enableBeforeUnload: () => true, withResolver: true });
  const part = stage === "reading" ? sent / Math.max(files, 1) : bytes > 0 ? arrived / bytes : files > 0 ? sent / files : 1;
  return (
    <Stack gap="xs" role="group" aria-label={say("uploads")}>
      <Text size="sm" aria-live="polite">
        {stage === "reading"
          ? say("reading", { n: files })
          : stage === "making"
            ? say("making")
            : bytes > 0
              ? say("sendingFiles", { sent, n: files, arrived: sizeText(arrived, language), bytes: sizeText(bytes, language) })
              : say("fetching")}
      </Text>
      <Progress value={100 * part} aria-label={say("uploads")} animated={stage === "making" && failed.length === 0} />
      {reused > 0 && (
        <Text size="sm" c="dimmed">
          {say("reused", { n: reused })}
        </Text>
      )}
      {failed.length > 0 && (
        <Alert color="red" variant="light" role="alert" title={say("someFailed", { n: failed.length })}>
          <List size="sm" listStyleType="none">
            {failed.slice(0, 10).map((f) => (
              <List.Item key={f.path} style={{ overflowWrap: "anywhere" }}>
                <bdi>{f.path}</bdi>: {f.why}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group gap="xs">
        {failed.length > 0 && <Button onClick={onAgain}>{say("sendRest")}</Button>}
        <Button variant="default" onClick={onCancel}>
          {say("cancel")}
        </Button>
      </Group>
      <Leaving blocker={blocker} text={say("leaveUploads")} onLeave={onCancel} />
    </Stack>
  );
}

function PasteDialog({ onPage, onClose }: { onPage: (text: string) => void; onClose: () => void }) {
  const { say } = useWords(words);
  const [text, setText] = useState("");
  return (
    <Modal opened onClose={onClose} title={say("pastePage")} size="lg" closeButtonProps={{ "aria-label": say("close") }}>
      <Form submit={say("makeRelease")} onSubmit={async () => onPage(text)}>
        {() => <Textarea label={say("pageSource")} description={say("pageSourceHint")} required data-autofocus rows={14} dir="ltr" styles={{ input: { fontFamily: "monospace" } }} value={text} onChange={(e) => setText(e.currentTarget.value)} />}
      </Form>
    </Modal>
  );
}

function AddressDialog({ onAddress, onClose }: { onAddress: (address: string) => void; onClose: () => void }) {
  const { say } = useWords(words);
  const [address, setAddress] = useState("");
  return (
    <Modal opened onClose={onClose} title={say("byAddress")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form submit={say("makeRelease")} onSubmit={async () => onAddress(address)}>
        {() => <TextInput label={say("address")} description={say("addressHint")} type="url" required dir="ltr" maxLength={1024} data-autofocus value={address} onChange={(e) => setAddress(e.currentTarget.value.trim())} />}
      </Form>
    </Modal>
  );
}
