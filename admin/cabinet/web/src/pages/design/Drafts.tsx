import "./design.css";
import { Alert, Badge, Button, Group, Stack, Table, Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api, Refusal, type Body, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Copied } from "../../parts/Copied";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { List, Unbroken, useSelection } from "../../parts/List";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { words } from "../../words/design";
import { Fold } from "./engine/Fold";
import { DesignPages } from "./DesignPages";
import { referenceQuery } from "./reference";
import { entryOf, kindOf, labelOf, titleOf, type Section } from "./sections";

type Item = Schemas["StoreDraftItem"];
type Conflict = Schemas["StoreDraftConflict"];
type Selected = Body<"post", "/drafts/publish">;

const size = 50;
const keyOf = (i: { kind: string; id: string }) => `${i.kind} ${i.id}`;
const short = (v: unknown) => (typeof v === "string" ? v : v === null || v === undefined ? "—" : JSON.stringify(v)).slice(0, 600);

// differing shortens two lists, such as the sections of a block, to the entries that differ.
function differing(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return a;
  const other = new Set(b.map((v) => JSON.stringify(v)));
  return a.filter((v) => !other.has(JSON.stringify(v)));
}

// Drafts is what waits to be published, field by field.
export function Drafts() {
  const { shop } = useParams({ from: "/$shop/design/drafts" });
  const { page } = useSearch({ from: "/$shop/design/drafts" });
  const navigate = useNavigate({ from: "/$shop/design/drafts" });
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const zone = passport?.store.timezone ?? "UTC";
  const drafts = useQuery({
    queryKey: [shop, "drafts", page ?? 1],
    queryFn: ({ signal }) => answer(api.GET("/drafts", { params: { query: { "page.number": page ?? 1, "page.limit": size } }, signal })),
    placeholderData: keepPreviousData,
  });
  const items = (drafts.data?.result ?? []).map((i) => ({ ...i, ref: i.id, id: keyOf(i) }));
  const selection = useSelection<string>(page);
  const [discarding, setDiscarding] = useState(false);
  const [conflicts, setConflicts] = useState<Conflict[]>();
  const chosen = items.filter((i) => selection.ids.includes(i.id)).map((i) => ({ kind: i.kind, id: i.ref }));
  const selected: Selected = chosen.length > 0 ? { items: chosen } : { all: true };
  const mayPublish = passport?.publish_allowed ?? false;
  const mayWrite = passport?.capabilities.catalog_write ?? false;
  useShownCall(chosen.length > 0 && mayPublish ? { method: "POST", path: "/drafts/publish", body: selected } : { method: "GET", path: `/drafts?page.number=${page ?? 1}&page.limit=${size}` });

  const refresh = () => {
    selection.set([]);
    setConflicts(undefined);
    setDiscarding(false);
    return queries.invalidateQueries({ queryKey: [shop] });
  };
  const publish = useMutation({
    mutationFn: (force: boolean) => answer(api.POST("/drafts/publish", { body: { ...selected, ...(force ? { force } : {}) } })),
    onSuccess: ({ result }) => {
      told(say, [say("publishedCount", { n: result.total }), result.also.length > 0 && say("publishedAlso", { list: result.also.map(keyOf).join(", ") })].filter(Boolean).join(" "));
      void refresh();
    },
    onError: (error) => {
      if (error instanceof Refusal && error.code === "DRAFT_CONFLICT") setConflicts((error.body.items as Conflict[] | undefined) ?? []);
      else failed(say, error);
    },
  });
  const discard = useMutation({
    mutationFn: () => answer(api.POST("/drafts/discard", { body: selected })),
    onSuccess: ({ result }) => {
      told(say, say("discardedCount", { n: result.total }));
      void refresh();
    },
    onError: (error) => failed(say, error),
  });
  const preview = useMutation({ mutationFn: () => answer(api.POST("/drafts/preview", {})), onError: (error) => failed(say, error) });
  const total = drafts.data?.total ?? 0;
  const kindText = (kind: string) => say(`draft_${kind as "block"}`);

  const nameOf = (i: (typeof items)[number]) => i.name || `${kindText(i.kind)} · ${i.ref}`;
  const link = (i: (typeof items)[number]) =>
    i.kind === "category" || i.kind === "article" ? (
      <AnchorLink to="/$shop/design/$type/$id" params={{ shop, type: i.kind, id: i.ref }} search={{}} size="sm" dir="auto" style={{ overflowWrap: "anywhere" }}>
        {nameOf(i)}
      </AnchorLink>
    ) : (
      <Text size="sm" dir="auto" style={{ overflowWrap: "anywhere" }}>
        {nameOf(i)}
      </Text>
    );
  const state = (i: Item) => (
    <Group gap={4} miw="max-content">
      <Badge variant="light" tt="none" size="sm" miw="max-content" {...(i.change === "created" ? {} : { color: i.change === "deleted" ? "red" : "gray" })}>
        {say(`change_${i.change}`)}
      </Badge>
      {i.conflicts.length > 0 && (
        <Badge variant="light" tt="none" size="sm" color="orange">
          {say("conflict")}
        </Badge>
      )}
    </Group>
  );
  const who = (i: Item) => [i.changed_by?.name, dateText(i.changed_at, zone, language)].filter(Boolean).join(", ");

  return (
    <Stack>
      <Heading title={say("design")}>
        <Button variant="default" leftSection={<IconEye size={16} />} loading={preview.isPending} onClick={() => preview.mutate()}>
          {say("previewAddress")}
        </Button>
      </Heading>
      <DesignPages />
      {preview.data && (
        <Alert variant="light" title={say("previewReady", { date: dateText(preview.data.result.expires_at, zone, language) })}>
          <Copied text={preview.data.result.url} />
        </Alert>
      )}
      {total > 0 && (
        <Group gap="xs">
          {mayPublish && (
            <Button onClick={() => publish.mutate(false)} loading={publish.isPending}>
              {chosen.length > 0 ? say("publishChosen", { n: chosen.length }) : say("publishAll")}
            </Button>
          )}
          {mayWrite && (
            <Button variant="default" color="red" onClick={() => setDiscarding(true)}>
              {chosen.length > 0 ? say("discardChosen", { n: chosen.length }) : say("discardAll")}
            </Button>
          )}
          {!mayPublish && (
            <Text size="sm" c="dimmed">
              {say("mayNotPublish")}
            </Text>
          )}
        </Group>
      )}
      <List
        query={drafts}
        items={items}
        total={total}
        size={size}
        page={page}
        onPage={(p) => void navigate({ search: { page: p } })}
        nameOf={(i) => nameOf(i)}
        selection={mayPublish || mayWrite ? selection : undefined}
        empty={say("noDrafts")}
        count={say("draftsCount", { n: total })}
        columns={[
          {
            key: "name",
            label: say("what"),
            cell: (i) => (
              <Stack gap={4} miw={320}>
                {link(i)}
                <Changes item={i} />
              </Stack>
            ),
          },
          { key: "kind", label: say("kindOfThing"), cell: (i) => <Unbroken>{kindText(i.kind)}</Unbroken> },
          { key: "state", label: say("state"), cell: state },
          { key: "who", label: say("whoWhen"), cell: (i) => <Unbroken>{who(i)}</Unbroken> },
        ]}
        card={(i) => (
          <div className="entry">
            {link(i)}
            <Group gap="xs">
              <Text size="xs" c="dimmed">
                {kindText(i.kind)}
              </Text>
              {state(i)}
            </Group>
            <Text size="xs" c="dimmed">
              {who(i)}
            </Text>
            <Changes item={i} />
          </div>
        )}
      />
      {discarding && (
        <Ask
          title={chosen.length > 0 ? say("discardChosen", { n: chosen.length }) : say("discardAll")}
          text={say("discardText")}
          yes={say("discard")}
          doing={discard.isPending}
          onYes={() => discard.mutate()}
          onClose={() => setDiscarding(false)}
        />
      )}
      {conflicts && (
        <Ask title={say("conflictTitle")} text={say("conflictText")} yes={say("publishAnyway")} doing={publish.isPending} onYes={() => publish.mutate(true)} onClose={() => setConflicts(undefined)}>
          <Conflicts list={conflicts} />
        </Ask>
      )}
    </Stack>
  );
}

// Changes are the fields of a thing that the draft changes.
function Changes({ item }: { item: Item }) {
  const { say } = useWords(words);
  return (
    <Fold title={say("changesOf", { n: item.fields.length })} open={item.conflicts.length > 0}>
      <WideTable label={say("changesOf", { n: item.fields.length })} minWidth={420}>
        <Table fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("field")}</Table.Th>
              <Table.Th>{say("liveValue")}</Table.Th>
              <Table.Th>{say("draftValue")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {item.fields.map((f) => (
              <Table.Tr key={f.field}>
                <Table.Td><Unbroken>{f.field}</Unbroken></Table.Td>
                <Table.Td dir="auto">
                  <Value of={differing(f.live, f.draft)} sections={f.field === "sections"} />
                </Table.Td>
                <Table.Td dir="auto">
                  <Value of={differing(f.draft, f.live)} sections={f.field === "sections"} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Conflicts list={item.conflicts} />
    </Fold>
  );
}

// Value is a value of a field. Sections of a block are named as in its editor.
function Value({ of, sections }: { of: unknown; sections: boolean }) {
  const { language } = useWords(words);
  const { data: reference } = useQuery({ ...referenceQuery, enabled: sections });
  if (!sections || !reference || !Array.isArray(of)) return short(of);
  return (of as Section[]).map((section, i) => {
    const kind = kindOf(section);
    const entry = entryOf(reference, kind);
    const title = titleOf(section, entry);
    return <div key={i}>{labelOf(entry, language, kind) + (title && ": " + title)}</div>;
  });
}

function Conflicts({ list }: { list: Conflict[] }) {
  const { say } = useWords(words);
  const known = ["DRAFT_STALE", "DOCUMENT_NOT_PUBLISHED", "STILL_SHOWN", "FILES_PENDING"] as const;
  return (
    <Stack gap={4} mt="xs">
      {list.map((c, i) => (
        <Alert key={i} color="orange" variant="light" p="xs" title={`${keyOf(c)} · ${c.field}`}>
          <Text size="xs">{known.some((k) => k === c.code) ? say(`conflict_${c.code as (typeof known)[number]}`) : c.code}</Text>
          <Text size="xs" dir="auto">{say("liveIs", { value: short(c.live) })}</Text>
          <Text size="xs" dir="auto">{say("draftIs", { value: short(c.draft) })}</Text>
        </Alert>
      ))}
    </Stack>
  );
}
