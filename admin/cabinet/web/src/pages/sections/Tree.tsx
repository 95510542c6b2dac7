import { FlatTreeNode, flattenTreeData, type RenderTreeNodePayload, type TreeNodeData, type useTree } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import type { Section, SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import type { Move, Step } from "./moves";
import { Row } from "./Row";
import { RowMenu } from "./RowMenu";
import type { Actions } from "./useActions";
import { useDrag } from "./useDrag";

const rowHeight = 44;
const none: never[] = [];
const arrows: Record<string, Step> = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" };

interface Props {
  shop: string;
  data: TreeNodeData[];
  tree: SectionTree;
  controller: ReturnType<typeof useTree>;
  writes: boolean;
  actions: Actions;
  focus: { id: number } | undefined; // the row to go to, each time that this is another value
  onMove: (move: Move) => void;
  onStep: (section: Section, step: Step) => void;
  onMoveTo: (section: Section) => void;
}

// Tree shows the sections that are open; of a long list only the rows near the window exist.
export function Tree({ shop, data, tree, controller, writes, actions, focus, onMove, onStep, onMoveTo }: Props) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const rows = useMemo(() => flattenTreeData(data, controller.expandedState), [data, controller.expandedState]);
  const root = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(root.current ? root.current.getBoundingClientRect().top + scrollY : 0), []);
  const [active, setActive] = useState<string>();
  const activeAt = Math.max(0, rows.findIndex((r) => r.node.value === active));
  const activeValue = useRef<string>(undefined);
  activeValue.current = rows[activeAt]?.node.value;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey: useCallback((i: number) => rows[i]!.node.value, [rows]),
    // The row that Tab leads to exists wherever the window is.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), activeAt])].filter((i) => i < rows.length).sort((a, b) => a - b),
  });

  // A row that was moved or walked to gets the focus when it is drawn.
  const wanted = useRef<string>(undefined);
  const want = (value: string | undefined) => {
    wanted.current = value;
    setActive(value);
  };
  useEffect(() => {
    if (focus) want(String(focus.id));
  }, [focus]);
  useEffect(() => {
    const row = wanted.current && root.current?.querySelector<HTMLElement>(`[role=treeitem][data-value="${wanted.current}"]`);
    if (!row) return;
    row.focus();
    wanted.current = undefined;
  }, [active, rows, focus]);

  function onKey(e: KeyboardEvent) {
    const item = e.target as HTMLElement;
    const section = tree.byID.get(Number(item.dataset.value));
    if (item.role !== "treeitem" || !section) return;
    const step = arrows[e.key];
    if (e.altKey && e.shiftKey && step) {
      if (writes) {
        wanted.current = item.dataset.value;
        onStep(section, step);
      }
    } else if (e.key === "Enter") void navigate({ to: "/$shop/sections/$id", params: { shop, id: String(section.id) } });
    else if (e.key === "Home") want(rows[0]?.node.value);
    else if (e.key === "End") want(rows.at(-1)?.node.value);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  const [menu, setMenu] = useState<{ section: Section; button: HTMLElement; top: number }>();
  const drag = useDrag(tree, controller.expand, onMove);
  const onFold = useCallbackRef(controller.toggleExpanded);
  const shown = useRef(tree);
  shown.current = tree;
  // The same function while the right to change the sections does not change.
  const renderNode = useCallback(
    (payload: RenderTreeNodePayload) => {
      const section = shown.current.byID.get(Number(payload.node.value))!;
      const onMenu = (s: Section, button: HTMLElement) => setMenu({ section: s, button, top: button.getBoundingClientRect().top - root.current!.getBoundingClientRect().top });
      // When a row is entered or left its tabIndex changes, and the reference says which one it is.
      return <Row payload={payload} shop={shop} section={section} path={shown.current.pathOf(section)} writes={writes} active={payload.node.value === activeValue.current} onFold={onFold} onMenu={onMenu} drag={drag(section.id, payload.expanded && payload.hasChildren)} />;
    },
    [shop, writes, drag, onFold],
  );

  return (
    <div ref={root} className="section-tree" style={{ height: virtual.getTotalSize() }}>
      <div role="tree" aria-label={say("sections")} data-tree-root onKeyDownCapture={onKey} onFocus={(e) => setActive(e.target.closest<HTMLElement>("[role=treeitem]")?.dataset.value)}>
        {virtual.getVirtualItems().map((item) => (
          <div key={item.key} role="presentation" style={{ position: "absolute", top: 0, insetInline: 0, height: rowHeight, transform: `translateY(${item.start - top}px)` }}>
            <FlatTreeNode {...rows[item.index]!} linesPath={none} tree={controller} expandOnClick={false} tabIndex={item.index === activeAt ? 0 : -1} renderNode={renderNode} />
          </div>
        ))}
      </div>
      {menu && (
        <RowMenu
          shop={shop}
          tree={tree}
          section={tree.byID.get(menu.section.id) ?? menu.section}
          top={menu.top}
          actions={actions}
          onStep={onStep}
          onMoveTo={onMoveTo}
          onClose={() => {
            menu.button.focus();
            setMenu(undefined);
          }}
        />
      )}
    </div>
  );
}
