import "@mantine/core/styles/Tree.css";
import "./sections.css";
import { Button, filterTreeData, Group, Select, Skeleton, Stack, Text, useTree, type TreeNodeData } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, memo, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { ButtonLink } from "../../parts/links";
import { SearchBox } from "../../parts/SearchBox";
import { kinds, SectionTree, treeQuery, type Kind, type Section } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { Deleted } from "./Deleted";
import { parentAfter, stepOf, type Move, type Step } from "./moves";
import { looksAs } from "./Row";
import type { SectionSearch } from "./search";
import { Tree } from "./Tree";
import { useActions } from "./useActions";

const MoveDialog = lazy(() => import("./MoveDialog"));

type Expanded = ReturnType<typeof useTree>["expandedState"];

const few = 60; // sections that are shown open at first

// Sections is the page of the shop's sections: a tree in the order of the shop's menu.
export function Sections() {
  const { shop } = useParams({ from: "/$shop/sections" });
  const search = useSearch({ from: "/$shop/sections" });
  const navigate = useNavigate({ from: "/$shop/sections" });
  const { say } = useWords(words);
  const list = useQuery(treeQuery(shop));
  const sections = useDeferredValue(list.data); // to draw thousands anew takes longer than to answer a key
  const { data: passport } = useQuery(passportQuery(shop));
  const writes = passport?.capabilities.catalog_write ?? false;
  useShownCall({ method: "GET", path: search.deleted ? "/categories?filter.is_deleted=true" : "/categories?view=menu" });
  const change = (part: Partial<SectionSearch>) => void navigate({ search: (old) => ({ ...old, ...part }), replace: "q" in part });

  return (
    <Stack>
      <Heading title={say("sections")}>
        {writes && (
          <ButtonLink to="/$shop/sections/$id" params={{ shop, id: "new" }} search={{ kind: search.kind }} leftSection={<IconPlus size={16} />}>
            {say("newSection")}
          </ButtonLink>
        )}
      </Heading>
      <Group gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("kind")}
          placeholder={say("kind")}
          data={kinds.map((k) => ({ value: k, label: say(`kind_${k}_section`) }))}
          value={search.kind ?? null}
          onChange={(v) => change({ kind: (v as Kind | null) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          w={190}
        />
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={[{ value: "deleted", label: say("deleted") }]}
          value={search.deleted ? "deleted" : null}
          onChange={(v) => change({ deleted: v ? true : undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          w={150}
        />
      </Group>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : !sections ? (
        <Stack gap="xs" aria-label={say("loading")}>
          {Array.from({ length: 8 }, (_, i) => (
            <Skeleton key={i} h={36} />
          ))}
        </Stack>
      ) : search.deleted ? (
        <Deleted shop={shop} search={search} writes={writes} />
      ) : (
        <Live key={shop} shop={shop} list={sections} search={search} writes={writes} pins={(passport?.capabilities.redirects_write ?? false) && passport?.role !== "editor"} />
      )}
    </Stack>
  );
}

const Live = memo(function Live({ shop, list, search, writes, pins }: { shop: string; list: Section[]; search: SectionSearch; writes: boolean; pins: boolean }) {
  const { say } = useWords(words);
  const tree = useMemo(() => new SectionTree(list), [list]);
  const actions = useActions(shop, tree);
  const [moving, setMoving] = useState<{ section: Section; to: Move | undefined }>();
  const [focus, setFocus] = useState<{ id: number }>();
  const close = (section: Section) => {
    setMoving(undefined);
    setFocus({ id: section.id });
  };
  // A node stays the same object while its row shows the same: only other rows are drawn again.
  const made = useRef(new Map<number, { node: TreeNodeData; section: Section }>());
  const all = useMemo(() => {
    const before = made.current;
    made.current = new Map();
    // What is below a section that changed may have another path.
    const nodesOf = (id: number, changed: boolean): TreeNodeData[] =>
      tree.children(id).map((section) => {
        const old = before.get(section.id);
        const same = !changed && old !== undefined && looksAs(old.section, section);
        const children = nodesOf(section.id, !same);
        const kept = same && old.node.children?.length === children.length && children.every((c, i) => c === old.node.children![i]);
        const node = kept ? old.node : { value: String(section.id), label: section.name, children };
        made.current.set(section.id, { node, section });
        return node;
      });
    return nodesOf(0, false);
  }, [tree]);
  const everything = () => Object.fromEntries(list.map((s) => [s.id, true])) as Expanded;
  const [opened, setOpened] = useSessionStorage<Expanded>({ key: `open:${shop}`, defaultValue: list.length <= few ? everything() : {}, getInitialValueInEffect: false });

  // What is found is shown with the sections above it, all open.
  const filtered = Boolean(search.q || search.kind);
  const query = search.q?.toLowerCase() ?? "";
  const found = useMemo(() => {
    if (!filtered) return undefined;
    const matches = (s: Section) => (!search.kind || s.type === search.kind) && (s.name.toLowerCase().includes(query) || s.seo.slug.includes(query));
    return new Set(list.filter(matches).map((s) => String(s.id)));
  }, [list, filtered, query, search.kind]);
  const data = useMemo(() => (found ? filterTreeData(all, "found", (_, node) => found.has(node.value)) : all), [all, found]);
  useEffect(() => setFocus(undefined), [data]); // a tree that appears later takes no focus
  const [folded, setFolded] = useState<Expanded>({});
  const expandedState = useMemo(() => (filtered ? { ...everything(), ...folded } : opened), [filtered, list, folded, opened]);
  const controller = useTree({ expandedState, onExpandedStateChange: filtered ? setFolded : setOpened });

  // A move among siblings changes no address and is done at once; every other one is shown first.
  function propose(to: Move) {
    const section = tree.byID.get(to.from_id)!;
    if (actions.moving.isPending) return;
    if (parentAfter(tree, to) === (tree.parentOf(section)?.id ?? 0)) actions.moving.mutate({ to, pin: false });
    else setMoving({ section, to });
  }
  function onStep(section: Section, step: Step) {
    const to = stepOf(tree, section, step);
    if (to) propose(to);
  }

  if (data.length === 0) {
    return (
      <Text py="xl" ta="center" c="dimmed">
        {say(filtered ? "noSections" : "emptyTree")}
      </Text>
    );
  }
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" aria-live="polite">
          {say("sectionsFound", { n: found?.size ?? list.length })}
        </Text>
        {!filtered && (
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => setOpened(everything())}>
              {say("expandAll")}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setOpened({})}>
              {say("collapseAll")}
            </Button>
          </Group>
        )}
      </Group>
      <Tree shop={shop} data={data} tree={tree} controller={controller} writes={writes} actions={actions} focus={focus} onStep={onStep} onMove={propose} onMoveTo={(section) => setMoving({ section, to: undefined })} />
      {writes && (
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {say("treeHelp")}
        </Text>
      )}
      {moving && (
        <Suspense>
          <MoveDialog
            shop={shop}
            tree={tree}
            section={moving.section}
            target={moving.to}
            pins={pins}
            saving={actions.moving.isPending}
            onClose={() => close(moving.section)}
            onMove={(to, pin) => {
              const parent = parentAfter(tree, to);
              actions.moving.mutate(
                { to, pin },
                {
                  onSuccess: () => {
                    close(moving.section);
                    if (parent) setOpened((o) => ({ ...o, [parent]: true }));
                  },
                },
              );
            }}
          />
        </Suspense>
      )}
    </>
  );
});
