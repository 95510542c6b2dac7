import { Alert, Badge, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Form } from "../../parts/Form";
import { Heading, RemoveButton, ShopLink } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { foldersQuery, releasesQuery, removeDocument, rename, websiteQuery, type Document, type Website } from "./data";
import { calls, kindOf, type Kind } from "./kinds";
import { Releases } from "./Releases";
import { Send } from "./Send";
import { useName, Uses } from "./Uses";

// WebsitePage is one website: what is live, the way to bring files, and its releases.
export function WebsitePage() {
  const params = useParams({ from: "/$shop/websites/$kind/$id" });
  const { shop, id } = params;
  const kind = kindOf(params.kind);
  const { say } = useWords(words);
  const navigate = useNavigate();
  const { data: passport } = useQuery(passportQuery(shop));
  const website = useQuery(websiteQuery(shop, kind, id));
  const releases = useQuery(releasesQuery(shop, kind, id));
  const name = useName(shop, kind, id, website.data);
  useShownCall({ method: "GET", path: calls[kind].root.replace("{id}", id) + "/releases" });
  if (website.isError && !website.data) return <Failure page error={website.error} retry={() => void website.refetch()} />;
  if (!website.data || !passport) return <Skeleton h={400} role="status" aria-label={say("loading")} />;
  const may = manages(passport);
  const { data } = website;
  const live = data.active !== "0";

  return (
    <Stack key={kind + id}>
      <Heading
        back={{ to: "/$shop/websites", label: say("websites") }}
        title={name}
        state={
          <Group gap="xs">
            <Badge tt="none" variant="light" color={live ? "teal" : "gray"}>
              {say(live ? "live" : "notLive")}
            </Badge>
            <LiveLink kind={kind} passport={passport} website={data} />
          </Group>
        }
      >
        {may && data.document && (
          <>
            <Rename shop={shop} document={data.document} />
            <RemoveDocument shop={shop} document={data.document} />
          </>
        )}
      </Heading>
      {kind === "folders" && <FolderState shop={shop} id={id} />}
      {may && (
        <Send kind={kind} id={id} limits={data.limits} live={live} onMade={(release) => void navigate({ to: "/$shop/websites/$kind/$id/$release", params: { shop, kind, id, release }, ignoreBlocker: true })} />
      )}
      <Releases shop={shop} kind={kind} id={id} active={data.active} releases={releases} passport={passport} />
      <Place shop={shop} kind={kind} id={id} website={data} />
    </Stack>
  );
}

function LiveLink({ kind, passport, website }: { kind: Kind; passport: Passport; website: Website }) {
  if (website.active === "0" || !website.base) return null;
  const shop = passport.store.storefront_url.replace(/\/$/, "");
  return <ShopLink href={kind === "documents" ? website.base : shop + (kind === "folders" ? website.base : "/")} />;
}

// FolderState says that a published folder is not enough: its section must be published, too.
function FolderState({ shop, id }: { shop: string; id: string }) {
  const { say } = useWords(words);
  const { data } = useQuery(foldersQuery(shop));
  const section = data?.find((s) => String(s.id) === id);
  if (!section || section.is_published) return null;
  return (
    <Alert variant="light" color="orange">
      <Text size="sm">{say("sectionHidden")}</Text>
      <AnchorLink to="/$shop/sections/$id" params={{ shop, id }} size="sm">
        {say("toSection")}
      </AnchorLink>
    </Alert>
  );
}

// Place says where visitors see a website, and how much it stores.
function Place({ shop, kind, id, website }: { shop: string; kind: Kind; id: string; website: Website }) {
  const { say, language } = useWords(words);
  const { document, folder } = website;
  return (
    <Panel title={say("where")}>
      {document && (document.used_total === 0 ? <Text size="sm">{say("unused", { id })}</Text> : <Uses shop={shop} document={document} />)}
      {folder && (
        <>
          <Text size="sm">{folder.path ? say("folderAt", { path: folder.path }) : say("folderNowhere")}</Text>
          <AnchorLink to="/$shop/sections/$id" params={{ shop, id }} size="sm">
            {say("toSection")}
          </AnchorLink>
          <Text size="sm">
            {say("stores", { n: folder.storage_usage.release_count, live: sizeText(Number(folder.storage_usage.active_bytes), language), all: sizeText(Number(folder.storage_usage.retained_bytes), language) })}
          </Text>
        </>
      )}
      {kind === "layouts" && <Text size="sm">{say("layoutEverywhere")}</Text>}
      {website.layout && website.layout.icons_generated.length > 0 && <Text size="sm">{say("icons", { sizes: website.layout.icons_generated.map((i) => i.size).join(", ") })}</Text>}
    </Panel>
  );
}

function Rename({ shop, document }: { shop: string; document: Document }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [name, setName] = useState<string>();
  async function submit() {
    await rename(document, name!);
    await queries.invalidateQueries({ queryKey: [shop, "websites"] });
    setName(undefined);
  }
  return (
    <>
      <Button variant="subtle" onClick={() => setName(document.name)}>
        {say("rename")}
      </Button>
      {name !== undefined && (
        <Modal opened onClose={() => setName(undefined)} title={say("rename")} closeButtonProps={{ "aria-label": say("close") }}>
          <Form submit={say("save")} fields={{ name, "item.name": name }} onSubmit={submit}>
            {({ at }) => <TextInput label={say("name")} required maxLength={255} data-autofocus dir="auto" value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name") ?? at("item.name")} />}
          </Form>
        </Modal>
      )}
    </>
  );
}

function RemoveDocument({ shop, document }: { shop: string; document: Document }) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeDocument(document.id),
    onSuccess: async () => {
      await navigate({ to: "/$shop/websites", params: { shop } });
      queries.removeQueries({ queryKey: [shop, "websites"] });
      told(say, say("removed", { name: document.name }));
    },
    onError: (error) => failed(say, error),
  });
  return (
    <>
      <RemoveButton loading={remove.isPending} onClick={() => setAsking(true)} />
      {asking && (
        <Ask title={say("removeTitle", { name: document.name })} text={say("removeText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)}>
          {document.used_total > 0 && <Uses shop={shop} document={document} />}
        </Ask>
      )}
    </>
  );
}
