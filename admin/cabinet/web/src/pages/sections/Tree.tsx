import { FlatTreeNode, flattenTreeData, type TreeNodeData, type useTree } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type DragEvent, type KeyboardEvent } from "react";
import type { SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { allowed, type Move, type Step } from "./moves";
import { Row, type RowProps } from "./Row";

const rowHeight = 44;
const arrows: Record<string, Step> = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" };

type Shared = Pick<RowProps, "shop" | "writes" | "actions" | "onStep" | "onMoveTo">;

// Tree shows the sections that are open; of a long list only the rows near the window exist.
export function Tree({ data, tree, controller, onMove, ...shared }: Shared & { data: TreeNodeData[]; tree: SectionTree; controller: ReturnType<typeof useTree>; onMove: (move: Move) => void }) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const rows = useMemo(() => flattenTreeData(data, controller.expandedState), [data, controller.expandedState]);
  const root = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(root.current ? root.current.getBoundingClientRect().top + scrollY : 0), []);
  const [active, setActive] = useState<string>();
  const activeAt = Math.max(0, rows.findIndex((r) => r.node.value === active));
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (i) => rows[i]!.node.value,
    // The row that Tab leads to exists wherever the window is.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), activeAt])].filter((i) => i < rows.length).sort((a, b) => a - b),
  });

  // A row that was moved or walked to gets the focus when it is drawn.
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    root.current?.querySelector<HTMLElement>(`[role=treeitem][data-value="${wanted.current}"]`)?.focus();
    wanted.current = undefined;
  }, [active, rows]);
  function want(value: string | undefined) {
    wanted.current = value;
    setActive(value);
  }

  function onKey(e: KeyboardEvent) {
    const item = e.target as HTMLElement;
    const section = tree.byID.get(Number(item.dataset.value));
    if (item.role !== "treeitem" || !section) return;
    const step = arrows[e.key];
    if (e.altKey && e.shiftKey && step) {
      if (shared.writes) {
        wanted.current = item.dataset.value;
        shared.onStep(section, step);
      }
    } else if (e.key === "Enter") void navigate({ to: "/$shop/sections/$id", params: { shop: shared.shop, id: String(section.id) } });
    else if (e.key === "Home") want(rows[0]?.node.value);
    else if (e.key === "End") want(rows.at(-1)?.node.value);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  const dragged = useRef<number>(undefined);
  const [drop, setDrop] = useState<Move>();
  const opening = useTimeout(() => drop?.type === "inside" && controller.expand(String(drop.to_id)), 700);
  function over(e: DragEvent, id: number, inside: boolean) {
    if (!dragged.current) return;
    const box = e.currentTarget.getBoundingClientRect();
    const y = (e.clientY - box.top) / box.height;
    const to: Move = { from_id: dragged.current, to_id: id, type: y < 0.3 ? "before" : y > 0.7 && !inside ? "after" : "inside" };
    if (!allowed(tree, to)) return setDrop(undefined);
    e.preventDefault();
    if (drop?.to_id === to.to_id && drop.type === to.type) return;
    setDrop(to);
    opening.clear();
    opening.start();
  }
  function end() {
    dragged.current = undefined;
    setDrop(undefined);
    opening.clear();
  }

  return (
    <div ref={root} role="tree" aria-label={say("sections")} data-tree-root className="section-tree" style={{ height: virtual.getTotalSize() }} onKeyDownCapture={onKey} onFocus={(e) => e.target.role === "treeitem" && setActive(e.target.dataset.value)}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index]!;
        const section = tree.byID.get(Number(row.node.value))!;
        return (
          <FlatTreeNode
            key={item.key}
            {...row}
            tree={controller}
            expandOnClick={false}
            tabIndex={item.index === activeAt ? 0 : -1}
            style={{ position: "absolute", top: 0, insetInline: 0, height: rowHeight, transform: `translateY(${item.start - top}px)` }}
            renderNode={(payload) => (
              <Row
                {...shared}
                payload={payload}
                tree={tree}
                section={section}
                active={item.index === activeAt}
                drop={drop?.to_id === section.id ? drop.type : undefined}
                drag={{
                  onDragStart: (e) => {
                    e.dataTransfer.effectAllowed = "move";
                    e.dataTransfer.setData("text/plain", section.name);
                    dragged.current = section.id;
                  },
                  onDragOver: (e) => over(e, section.id, payload.expanded && payload.hasChildren),
                  onDragEnd: end,
                  onDrop: (e) => {
                    e.preventDefault();
                    if (drop) onMove(drop);
                    end();
                  },
                }}
              />
            )}
          />
        );
      })}
    </div>
  );
}
