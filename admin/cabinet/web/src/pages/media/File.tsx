import { Anchor, Button, Card as Panel, CopyButton, FileButton, Grid, Group, Progress, Skeleton, Stack, Table, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconCopy, IconExternalLink, IconReplace } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { answer, api, currentShop } from "../../api/client";
import { upload } from "../../api/upload";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { EditForm } from "../../parts/EditForm";
import { FileThumb } from "../../parts/FileThumb";
import { Heading, RemoveButton } from "../../parts/Heading";
import { describe, fileQuery, type MediaFile } from "../../parts/library";
import { failed, told } from "../../parts/notice";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/media";
import { DeleteFiles } from "./DeleteFiles";
import { sizeText } from "../../parts/size";
import { Uses, usageQuery } from "./Uses";

interface Fields extends Record<string, unknown> {
  original_name: string;
  alt: string;
}

const fieldsOf = (f: MediaFile): Fields => ({ original_name: f.original_name, alt: f.alt });
const isID = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

// File is the page of one file of the library.
export function File() {
  const { shop, id } = useParams({ from: "/$shop/files/$id" });
  const passport = useQuery(passportQuery(shop));
  const file = useQuery({ ...fileQuery(shop, id), enabled: isID(id) });
  if (!isID(id)) return <Failure page error={null} />;
  if (file.isError && !file.data) return <Failure page error={file.error} retry={() => void file.refetch()} />;
  if (!passport.data || !file.data) return <Skeleton h={480} />;
  return <Page key={shop + id} shop={shop} file={file.data} passport={passport.data} />;
}

function Page({ shop, file, passport }: { shop: string; file: MediaFile; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const usage = useQuery(usageQuery(shop, file.id));
  const [deleting, setDeleting] = useState(false);
  const base = useMemo(() => fieldsOf(file), [file]);
  const edit = useEdit<Fields>(`${shop}/file/${file.id}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.storage_write;
  const path = `/v1/storages/files/${file.id}`;
  useShownCall(
    edit.changed.includes("alt")
      ? { method: "PUT", path, body: { item: { alt: values.alt }, expected_updated_at: file.updated_at } }
      : edit.dirty
        ? { method: "POST", path: path + "/rename", body: { original_name: values.original_name } }
        : { method: "GET", path },
  );

  function put(saved: MediaFile) {
    queries.setQueryData(fileQuery(shop, file.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "files"] });
  }

  // The alternative text goes first, because only its call notices what somebody else saved.
  async function send(changed: (keyof Fields)[], from: MediaFile | undefined): Promise<MediaFile> {
    let now = from!;
    if (changed.includes("alt")) put((now = await describe(now, values.alt)));
    if (!changed.includes("original_name")) return now;
    return (await answer(api.POST("/v1/storages/files/{id}/rename", { params: { path: { id: file.id } }, body: { original_name: values.original_name } }))).result;
  }

  return (
    <Stack>
      <Heading back={{ to: "/$shop/files", label: say("files") }} title={file.original_name}>
        {!locked && (
          <>
            <Replace
              shop={shop}
              file={file}
              onReplaced={() => {
                void queries.invalidateQueries({ queryKey: [shop, "file", file.id] });
                void queries.invalidateQueries({ queryKey: [shop, "files"] });
              }}
            />
            <RemoveButton onClick={() => setDeleting(true)} />
          </>
        )}
      </Heading>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <Panel withBorder>
              {file.file_type === "image" ? (
                <img key={file.updated_at} className="shown-file" src={`${path}/image?w=1024&shop=${currentShop()}`} alt={file.alt || file.original_name} />
              ) : (
                <FileThumb file={file} size={160} />
              )}
            </Panel>
            <EditForm
              edit={edit}
              base={file}
              send={send}
              fieldsOf={fieldsOf}
              fieldAt={(place) => (place.endsWith("alt") ? "alt" : place.endsWith("original_name") ? "original_name" : undefined)}
              locked={locked}
              labels={{ original_name: say("fileName"), alt: say("altText") }}
              show={(_, value) => String(value)}
              onTheirs={put}
              onSaved={put}
            >
              {(faults) => (
                <Panel withBorder>
                  <Stack>
                    <TextInput
                      label={say("fileName")}
                      value={values.original_name}
                      onChange={(e) => edit.set("original_name", e.currentTarget.value)}
                      error={faults.original_name}
                      readOnly={locked}
                      required
                      maxLength={255}
                      dir="auto"
                    />
                    {file.file_type === "image" && (
                      <Textarea
                        label={say("altText")}
                        description={say("altHint")}
                        value={values.alt}
                        onChange={(e) => edit.set("alt", e.currentTarget.value)}
                        error={faults.alt}
                        readOnly={locked}
                        autosize
                        minRows={2}
                        maxLength={500}
                        dir="auto"
                      />
                    )}
                  </Stack>
                </Panel>
              )}
            </EditForm>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <Facts file={file} zone={passport.store.timezone} />
            <Panel withBorder>
              <Title order={2} size="h4" mb="sm">
                {say("usedIn")}
              </Title>
              {usage.isError && <Failure error={usage.error} retry={() => void usage.refetch()} />}
              {usage.isPending && <Skeleton h={48} />}
              {usage.data && (usage.data.total > 0 ? <Uses shop={shop} usage={usage.data} /> : <Text size="sm">{say("usedNowhere")}</Text>)}
            </Panel>
          </Stack>
        </Grid.Col>
      </Grid>
      {deleting && (
        <DeleteFiles
          shop={shop}
          files={[file]}
          onClose={() => setDeleting(false)}
          onDone={() => {
            edit.done();
            void navigate({ to: "/$shop/files", params: { shop } });
          }}
        />
      )}
    </Stack>
  );
}

function Facts({ file, zone }: { file: MediaFile; zone: string }) {
  const { say, language } = useWords(words);
  const facts = [
    [say("type"), file.mime.split(";")[0]],
    [say("size"), sizeText(Number(file.size), language)],
    ...(file.width > 0 ? [[say("dimensions"), `${file.width} × ${file.height}`]] : []),
    [say("added"), dateText(file.created_at, zone, language)],
  ];
  return (
    <Panel withBorder>
      <Stack>
        <Table variant="vertical" withRowBorders={false} verticalSpacing={4}>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th>{name}</Table.Th>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <TextInput label={say("address")} value={file.url} readOnly dir="ltr" />
        <Group gap="md">
          <CopyButton value={file.url}>
            {({ copied, copy }) => (
              <Button variant="default" size="xs" leftSection={<IconCopy size={16} />} onClick={copy}>
                {say(copied ? "copied" : "copyAddress")}
              </Button>
            )}
          </CopyButton>
          <Anchor href={file.url} target="_blank" rel="noreferrer" size="sm">
            <Group gap={4}>
              {say("openFile")} <IconExternalLink size={14} />
            </Group>
          </Anchor>
        </Group>
      </Stack>
    </Panel>
  );
}

// Replace gives a file new bytes. A failed one can be chosen again: the old bytes stay until then.
function Replace({ shop, file, onReplaced }: { shop: string; file: MediaFile; onReplaced: () => void }) {
  const { say } = useWords(words);
  const [done, setDone] = useState(0);
  const stop = useRef(new AbortController());
  const replace = useMutation({
    mutationKey: [shop, "replace", file.id],
    mutationFn: (bytes: globalThis.File) => {
      stop.current = new AbortController();
      setDone(0);
      return upload(bytes, setDone, stop.current.signal, file.id);
    },
    onSuccess: () => {
      onReplaced();
      told(say, say("replaced"));
    },
    onError: (error) => {
      if (!stop.current.signal.aborted) failed(say, error);
    },
  });
  if (replace.isPending)
    return (
      <Group gap="xs">
        <Progress value={done * 100} w={160} aria-label={say("replace")} />
        <Button variant="subtle" onClick={() => stop.current.abort()}>
          {say("cancel")}
        </Button>
      </Group>
    );
  return (
    <FileButton {...(file.file_type === "image" ? { accept: "image/*" } : {})} onChange={(bytes) => bytes && replace.mutate(bytes)}>
      {(props) => (
        <Button {...props} variant="default" leftSection={<IconReplace size={16} />} title={say("replaceHint")}>
          {say("replace")}
        </Button>
      )}
    </FileButton>
  );
}
