import { useCallbackRef, useTimeout } from "@mantine/hooks";
import { useMemo, useRef, type DragEvent } from "react";
import type { SectionTree } from "../../parts/sections";
import { allowed, type Move } from "./moves";

// useDrag moves rows of the tree by dragging. Where a row would go is shown with the attribute that
// Mantine's tree styles: drawing the rows again for each pixel would be slow. It returns the same function each time.
export function useDrag(tree: SectionTree, expand: (id: string) => void, onMove: (move: Move) => void) {
  const fits = useCallbackRef((move: Move) => allowed(tree, move));
  const drop = useCallbackRef(onMove);
  const dragged = useRef<number>(undefined);
  const over = useRef<{ row: HTMLElement; to: Move }>(undefined);
  const { start, clear } = useTimeout(() => over.current?.to.type === "inside" && expand(String(over.current.to.to_id)), 700);
  return useMemo(() => {
    const leave = () => {
      over.current?.row.removeAttribute("data-drag-over");
      over.current = undefined;
      clear();
    };
    return (id: number, open: boolean) => ({
      onDragStart: (e: DragEvent<HTMLElement>) => {
        e.dataTransfer.effectAllowed = "move";
        e.dataTransfer.setData("text/plain", String(id));
        dragged.current = id;
      },
      onDragOver: (e: DragEvent<HTMLElement>) => {
        if (dragged.current === undefined) return;
        const box = e.currentTarget.getBoundingClientRect();
        const y = (e.clientY - box.top) / box.height;
        const to: Move = { from_id: dragged.current, to_id: id, type: y < 0.3 ? "before" : y > 0.7 && !open ? "after" : "inside" };
        if (!fits(to)) return leave();
        e.preventDefault();
        if (over.current?.to.to_id === id && over.current.to.type === to.type) return;
        leave();
        over.current = { row: e.currentTarget, to };
        e.currentTarget.setAttribute("data-drag-over", to.type);
        start();
      },
      onDrop: (e: DragEvent<HTMLElement>) => {
        e.preventDefault();
        if (over.current) drop(over.current.to);
        leave();
      },
      onDragEnd: () => {
        leave();
        dragged.current = undefined;
      },
    });
  }, [fits, drop, start, clear]);
}
