import { Badge, Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useShownCall } from "../../frame/Call";
import { manages, passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { Heading } from "../../parts/Heading";
import { AnchorLink, CardLink } from "../../parts/links";
import { List } from "../../parts/List";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { documentsQuery, foldersQuery, layoutsQuery, make } from "./data";
import { kinds, type Kind } from "./kinds";
import { UseLinks, type Use } from "./Uses";

const pageSize = 50;
const listed = { documents: "/html-documents", folders: "/categories?view=menu", layouts: "/content-blocks" };

interface Row {
  id: string;
  name: string;
  live?: boolean; // undefined: the list does not say
  changed?: string;
  hidden?: boolean;
  uses?: Use[];
  used?: number; // in how many places
}

// useRows reads the websites of one kind.
function useRows(shop: string, kind: Kind) {
  const documents = useQuery({ ...documentsQuery(shop), enabled: kind === "documents", select: (list) => list.map((d): Row => ({ id: d.id, name: d.name, live: d.active_release_id !== "0", changed: d.updated_at, uses: d.used_in, used: d.used_total })) });
  const folders = useQuery({ ...foldersQuery(shop), enabled: kind === "folders" });
  const layouts = useQuery({ ...layoutsQuery(shop), enabled: kind === "layouts", select: (list) => list.map((b): Row => ({ id: String(b.id), name: b.name, changed: b.updated_at })) });
  if (kind === "documents") return documents;
  if (kind === "layouts") return layouts;
  return { ...folders, data: folders.data?.map((s): Row => ({ id: String(s.id), name: s.name, hidden: !s.is_published })) };
}

// Websites lists what the shop has uploaded: html documents, the folders of sections and those of layouts.
export function Websites() {
  const { shop } = useParams({ from: "/$shop/websites" });
  const { kind = "documents", q, page } = useSearch({ from: "/$shop/websites" });
  const navigate = useNavigate({ from: "/$shop/websites" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useRows(shop, kind);
  const [making, setMaking] = useState(false);
  useShownCall({ method: "GET", path: listed[kind] });
  const found = (list.data ?? []).filter((r) => !q || r.name.toLowerCase().includes(q.toLowerCase()));
  const first = ((page ?? 1) - 1) * pageSize;
  const zone = passport?.store.timezone ?? "UTC";
  const state = (r: Row) =>
    r.live !== undefined ? (
      <Badge tt="none" variant="light" color={r.live ? "teal" : "gray"}>
        {say(r.live ? "live" : "notLive")}
      </Badge>
    ) : (
      r.hidden && (
        <Badge tt="none" variant="light" color="gray">
          {say("hidden")}
        </Badge>
      )
    );

  return (
    <Stack>
      <Heading title={say("websites")}>
        {manages(passport) && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            {say(`new_${kind}`)}
          </Button>
        )}
      </Heading>
      <SegmentedControl
        aria-label={say("kind")}
        style={{ alignSelf: "flex-start" }}
        maw="100%"
        data={kinds.map((value) => ({ value, label: say(value) }))}
        value={kind}
        onChange={(v) => void navigate({ search: { kind: v === "documents" ? undefined : (v as Kind) } })}
      />
      <Text size="sm" c="dimmed" maw={720}>
        {say(`about_${kind}`)}
      </Text>
      <Group>
        <SearchBox key={shop + kind} value={q ?? ""} onSearch={(q) => void navigate({ search: (old) => ({ ...old, q: q || undefined, page: undefined }), replace: true })} />
      </Group>
      <List
        query={list}
        items={found.slice(first, first + pageSize)}
        total={found.length}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={(r) => r.name}
        empty={say(q ? "noneMatches" : `none_${kind}`)}
        count={say("websitesCount", { n: found.length })}
        columns={[
          {
            key: "name",
            label: say("name"),
            cell: (r) => (
              <AnchorLink to="/$shop/websites/$kind/$id" params={{ shop, kind, id: r.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto" style={{ overflowWrap: "anywhere" }}>
                {r.name}
              </AnchorLink>
            ),
          },
          ...(kind === "documents" ? [{ key: "where", label: say("where"), cell: (r: Row) => <UseLinks shop={shop} uses={r.uses ?? []} total={r.used ?? 0} /> }] : []),
          ...(kind === "layouts" ? [] : [{ key: "state", label: say("state"), cell: state }]),
          ...(kind === "folders" ? [] : [{ key: "changed", label: say("changed"), end: true, cell: (r: Row) => dateText(r.changed ?? null, zone, language) }]),
        ]}
        card={(r) => (
          <CardLink withBorder padding="xs" to="/$shop/websites/$kind/$id" params={{ shop, kind, id: r.id }}>
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" fw={500} dir="auto" style={{ overflowWrap: "anywhere" }} miw={0}>
                {r.name}
              </Text>
              {state(r)}
            </Group>
            {r.changed && (
              <Text size="sm" c="dimmed">
                {dateText(r.changed, zone, language)}
                {r.used ? ` · ${say("places", { n: r.used })}` : ""}
              </Text>
            )}
          </CardLink>
        )}
      />
      {making && <MakeDialog shop={shop} kind={kind} onClose={() => setMaking(false)} />}
    </Stack>
  );
}

// MakeDialog makes a website that has no files yet.
function MakeDialog({ shop, kind, onClose }: { shop: string; kind: Kind; onClose: () => void }) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  async function submit() {
    const id = await make(kind, name);
    void queries.invalidateQueries({ queryKey: [shop, kind === "folders" ? "sections" : "websites"] });
    await navigate({ to: "/$shop/websites/$kind/$id", params: { shop, kind, id } });
  }
  return (
    <Modal opened onClose={onClose} title={say(`new_${kind}`)} closeButtonProps={{ "aria-label": say("close") }}>
      <Form submit={say("create")} fields={{ name, "item.name": name }} onSubmit={submit}>
        {({ at }) => <TextInput label={say("name")} required maxLength={255} data-autofocus dir="auto" value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name") ?? at("item.name")} />}
      </Form>
    </Modal>
  );
}
