import "./design.css";
import { Badge, Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowLeft } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { Heading } from "../../parts/Heading";
import { ButtonLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { moved } from "../../parts/order";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/design";
import { fill, fillChrome, pageQuery, partsOf, pathOf, previewQuery, readPage, resourceTypes, saveBeside, saveSections, type Page, type Part, type ResourceType } from "./data";
import { Outline } from "./Outline";
import { Preview } from "./Preview";
import { referenceQuery, type Entry, type Reference } from "./reference";
import { entryOf, kindOf, labelOf, made, placeOf, placeText, titleOf, type Block, type Place, type Section } from "./sections";

const SectionForm = lazy(() => import("./engine/SectionForm"));
const Palette = lazy(() => import("./Palette"));
const Starters = lazy(() => import("./Starters"));

type Fields = Record<string, Section[]>;

const fieldsOf = (page: Page): Fields => Object.fromEntries(partsOf(page).flatMap((p) => p.blocks.map((b) => [b.id, b.sections])));

// DesignPage edits the blocks of one page beside its preview.
export function DesignPage() {
  const { shop, type, id } = useParams({ from: "/$shop/design/$type/$id" });
  const known = resourceTypes.find((t) => t === type);
  const valid = known !== undefined && /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const reference = useQuery(referenceQuery);
  const page = useQuery({ ...pageQuery(shop, known ?? "shop", Number(id)), enabled: valid });
  if (!valid) return <Failure page error={null} />;
  for (const q of [page, reference]) if (q.isError && !q.data) return <Failure page error={q.error} retry={() => void q.refetch()} />;
  if (!passport.data || !page.data || !reference.data) return <Skeleton h={600} />;
  return <Form key={shop + type + id} shop={shop} type={known} page={page.data} version={page.dataUpdatedAt} passport={passport.data} reference={reference.data} />;
}

function Form({ shop, type, page, version, passport, reference }: { shop: string; type: ResourceType; page: Page; version: number; passport: Passport; reference: Reference }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/$shop/design/$type/$id" });
  const { at } = useSearch({ from: "/$shop/design/$type/$id" });
  const base = useMemo(() => fieldsOf(page), [page]);
  const edit = useEdit<Fields>(`${shop}/design/${type}/${page.id}`, base, "path");
  const latest = useRef(edit.values); // for what is undone later
  latest.current = edit.values;
  const locked = !passport.capabilities.catalog_write;
  const parts = useMemo(() => partsOf(page), [page]);
  const blocks = parts.flatMap((p) => p.blocks);
  const wide = useMediaQuery("(min-width: 75em)", true, { getInitialValueInEffect: false });
  const [side, setSide] = useState<"blocks" | "preview">("blocks");
  const [adding, setAdding] = useState<{ part: Part; block: Block }>();
  const [beginning, setBeginning] = useState(false);
  const sectionsOf = (block: Block) => edit.values[block.id] ?? block.sections;
  const place = placeOf(at);
  const block = place && blocks.find((b) => b.id === place.block);
  const section = place && block ? sectionsOf(block)[place.section] : undefined;
  const put = (next: Page) => queries.setQueryData(pageQuery(shop, type, page.id).queryKey, next);
  const open = (to: Place | undefined) => void navigate({ search: { at: to && placeText(to) }, replace: true });
  const changedBlock = blocks.find((b) => edit.changed.includes(b.id));
  useShownCall(
    changedBlock
      ? { method: "PUT", path: `/content-blocks/${changedBlock.id}`, body: { item: { sections: sectionsOf(changedBlock) }, expected_updated_at: changedBlock.updated_at }, draft: true }
      : { method: "GET", path: `/design/bindings/${type}/${page.id}`, draft: true },
  );

  async function send(changed: (keyof Fields)[], from: Page | undefined): Promise<Page> {
    let now = from!;
    for (const id of changed) {
      const before = [...now.blocks, ...now.own].find((b) => b.id === id)!;
      const mine = edit.values[id]!;
      const saved = await saveSections(before, mine).catch((error: unknown) => saveBeside(error, page, before, mine));
      const replaced = (b: Block) => (b.id === saved.id ? { ...saved, sort_order: b.sort_order } : b);
      now = { ...now, blocks: now.blocks.map(replaced), own: now.own.map(replaced) };
    }
    return now;
  }

  // What is done with a whole part is saved at once, in the draft.
  const making = useMutation({
    mutationFn: async ({ part, name, sections }: { part: Part["slot"]; name: string; sections: Section[] }) => {
      if (part === "header" || part === "footer") await fillChrome(part, name, sections);
      else await fill(page, name, sections);
      return readPage(type, page.id);
    },
    onSuccess: (next) => {
      setAdding(undefined);
      setBeginning(false);
      put(next);
      void queries.invalidateQueries({ queryKey: [shop, "drafts"] });
    },
    onError: (error) => failed(say, error),
  });

  // An own header or footer begins with what the platform's has.
  function add(part: Part, block: Block | undefined) {
    if (block) return setAdding({ part, block });
    const begins = part.slot === "footer" ? ["siteFooter"] : ["siteHeader", "siteMenu"];
    making.mutate({ part: part.slot, name: say(`slot_${part.slot}`), sections: begins.map((kind) => made(entryOf(reference, kind)!)) });
  }
  function insert(block: Block, entry: Entry) {
    const fresh = made(entry);
    const list = sectionsOf(block);
    const after = place?.block === block.id ? place.section + 1 : list.length;
    edit.set(block.id, list.toSpliced(after, 0, fresh));
    setAdding(undefined);
    open({ block: block.id, section: after });
  }
  function move(from: Place, to: Place) {
    const source = blocks.find((b) => b.id === from.block);
    const target = blocks.find((b) => b.id === to.block);
    if (!source || !target) return;
    if (source === target) return edit.set(source.id, moved(sectionsOf(source), from.section, to.section));
    const taken = sectionsOf(source)[from.section];
    if (!taken || sectionsOf(target).length >= reference.sections.max) return;
    edit.set(source.id, sectionsOf(source).toSpliced(from.section, 1));
    edit.set(target.id, sectionsOf(target).toSpliced(to.section, 0, taken));
  }
  function remove(at: Place) {
    const of = blocks.find((b) => b.id === at.block)!;
    const before = sectionsOf(of);
    const removed = before[at.section]!;
    edit.set(of.id, before.toSpliced(at.section, 1));
    open(undefined);
    const kind = kindOf(removed);
    told(say, say("blockRemoved", { name: labelOf(entryOf(reference, kind), language, kind) }), async () => edit.set(of.id, (latest.current[of.id] ?? of.sections).toSpliced(at.section, 0, removed)));
  }
  const nameOf = (id: string) => {
    const of = blocks.find((b) => b.id === id);
    const changed = of && sectionsOf(of).filter((s, i) => JSON.stringify(s) !== JSON.stringify(of.sections[i]));
    return [...new Set((changed ?? []).map((s) => labelOf(entryOf(reference, kindOf(s)), language, kindOf(s))))].join(", ") || of?.name || id;
  };
  const unsaved = Object.fromEntries(edit.changed.map((id) => [id, edit.values[id]!]));
  const empty = type !== "shop" && type !== "theme" && parts.every((p) => p.slot === "header" || p.slot === "footer" || p.blocks.length === 0);
  const title = type === "shop" ? say("allPages") : page.name;

  return (
    <Stack>
      <Heading back={{ to: "/$shop/design", label: say("design") }} title={title} state={!page.published && <Badge color="gray" tt="none">{say("hidden")}</Badge>}>
        <ButtonLink variant="default" to="/$shop/design/drafts" params={{ shop }}>
          {say("drafts")}
        </ButtonLink>
      </Heading>
      <Text size="sm" c="dimmed">
        {say("draftText")}
      </Text>
      <EditForm
        edit={edit}
        base={page}
        send={send}
        fieldsOf={fieldsOf}
        fieldAt={(p) => (p.startsWith("item.sections") || p.startsWith("sections") ? String(edit.changed[0] ?? "") : undefined)}
        locked={locked}
        labels={Object.fromEntries(blocks.map((b) => [b.id, nameOf(b.id)]))}
        show={(_, value) => (value as Section[]).map((s) => [labelOf(entryOf(reference, kindOf(s)), language, kindOf(s)), titleOf(s, entryOf(reference, kindOf(s)))].filter(Boolean).join(": ")).join("; ")}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          void queries.invalidateQueries({ queryKey: [shop, "drafts"] });
        }}
      >
        {(faults) => (
          <>
            {!wide && (
              <SegmentedControl
                aria-label={say("design")}
                value={side}
                onChange={(v) => setSide(v as typeof side)}
                data={[
                  { value: "blocks", label: say("blocks") },
                  { value: "preview", label: say("preview") },
                ]}
              />
            )}
            <div className="design">
              {(wide || side === "blocks") && (
                <div className="design-form">
                  {Object.values(faults).map((f) => (
                    <Text key={f} c="red" size="sm" role="alert">
                      {f}
                    </Text>
                  ))}
                  {section && place && block ? (
                    <Stack>
                      <Group justify="space-between" wrap="nowrap">
                        <Button variant="subtle" size="compact-sm" leftSection={<IconArrowLeft size={14} />} onClick={() => open(undefined)}>
                          {say("allBlocks")}
                        </Button>
                        <Text fw={600} truncate>
                          {labelOf(entryOf(reference, kindOf(section)), language, kindOf(section))}
                        </Text>
                      </Group>
                      <Suspense>
                        <SectionForm
                          key={at}
                          shop={shop}
                          section={section}
                          reference={reference}
                          blocks={page.blocks}
                          locked={locked}
                          onChange={(next) => edit.set(block.id, sectionsOf(block).with(place.section, next))}
                        />
                      </Suspense>
                    </Stack>
                  ) : (
                    <Stack>
                      {empty && (
                        <Stack gap="xs" align="flex-start">
                          <Text size="sm">{say("emptyPage")}</Text>
                          {!locked && <Button onClick={() => setBeginning(true)}>{say("begin")}</Button>}
                        </Stack>
                      )}
                      <Outline
                        shop={shop}
                        page={page}
                        parts={parts}
                        sectionsOf={sectionsOf}
                        reference={reference}
                        locked={locked}
                        actions={{
                          open,
                          move,
                          remove,
                          add,
                          duplicate: (p) => {
                            const of = blocks.find((b) => b.id === p.block)!;
                            edit.set(of.id, sectionsOf(of).toSpliced(p.section + 1, 0, structuredClone(sectionsOf(of)[p.section]!)));
                          },
                        }}
                      />
                    </Stack>
                  )}
                </div>
              )}
              {(wide || side === "preview") && <Shown shop={shop} page={page} unsaved={unsaved} version={version} at={at ?? ""} onOpen={(p) => { setSide("blocks"); open(placeOf(p)); }} />}
            </div>
          </>
        )}
      </EditForm>
      <Suspense>
        {adding && <Palette reference={reference} chrome={adding.part.slot === "header" || adding.part.slot === "footer"} onClose={() => setAdding(undefined)} onChoose={(entry) => insert(adding.block, entry)} />}
        {beginning && <Starters named={false} saving={making.isPending} onClose={() => setBeginning(false)} onChoose={(starter) => making.mutate({ part: "own", name: page.name || starter.name, sections: starter.sections })} />}
      </Suspense>
    </Stack>
  );
}

function Shown({ shop, page, unsaved, version, at, onOpen }: { shop: string; page: Page; unsaved: Fields; version: number; at: string; onOpen: (place: string) => void }) {
  const preview = useQuery(previewQuery(shop));
  if (preview.isError) return <Failure error={preview.error} retry={() => void preview.refetch()} />;
  if (!preview.data) return <Skeleton h={600} />;
  return <Preview key={preview.data.url + pathOf(page)} address={preview.data.url} path={pathOf(page)} unsaved={unsaved} version={version} at={at} onOpen={onOpen} />;
}
