// Moves of sections: where to, what they change, and the way back.
import { answer, api, type Schemas } from "../../api/client";
import { SectionTree, type Section } from "../../parts/sections";

// Move places a section inside another one (0: at the top level) as the last, or beside it.
export interface Move {
  from_id: number;
  to_id: number;
  type: "inside" | "before" | "after";
}

export type Plan = Schemas["SiteMoveAnswer"];
export type Step = "up" | "down" | "in" | "out";

export const move = (m: Move, options: { dry_run?: boolean; pin_rules?: boolean; unpin_version?: string } = {}): Promise<Plan> => answer(api.POST("/categories/move", { body: { ...m, ...options } }));

// parentAfter is the section that contains the moved one afterwards; 0 at the top level.
export function parentAfter(tree: SectionTree, m: Move): number {
  if (m.type === "inside") return m.to_id;
  const sibling = tree.byID.get(m.to_id);
  return (sibling && tree.parentOf(sibling)?.id) ?? 0;
}

// allowed reports whether a section may go there: not into itself.
export function allowed(tree: SectionTree, m: Move): boolean {
  const to = tree.byID.get(m.to_id);
  return m.from_id !== m.to_id && (!to || !tree.above(to).some((s) => s.id === m.from_id));
}

// stepOf is the move of one step in the tree, if there is one.
export function stepOf(tree: SectionTree, s: Section, step: Step): Move | undefined {
  const siblings = tree.siblings(s);
  const at = siblings.indexOf(s);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  const parent = tree.parentOf(s);
  if (step === "up" && before) return { from_id: s.id, to_id: before.id, type: "before" };
  if (step === "down" && after) return { from_id: s.id, to_id: after.id, type: "after" };
  if (step === "in" && before) return { from_id: s.id, to_id: before.id, type: "inside" };
  if (step === "out" && parent) return { from_id: s.id, to_id: parent.id, type: "after" };
  return undefined;
}

// wayBack is the move that puts a section where it is now.
export function wayBack(tree: SectionTree, s: Section): Move {
  const siblings = tree.siblings(s);
  const at = siblings.indexOf(s);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  if (before) return { from_id: s.id, to_id: before.id, type: "after" };
  if (after) return { from_id: s.id, to_id: after.id, type: "before" };
  return { from_id: s.id, to_id: tree.parentOf(s)?.id ?? 0, type: "inside" };
}

// moved lists the sections as they are after a move, until the server's list is here.
export function moved(tree: SectionTree, m: Move): Section[] {
  const parent = parentAfter(tree, m);
  const siblings = tree.children(parent).filter((s) => s.id !== m.from_id);
  const at = siblings.findIndex((s) => s.id === m.to_id);
  siblings.splice(m.type === "inside" || at < 0 ? siblings.length : m.type === "before" ? at : at + 1, 0, tree.byID.get(m.from_id)!);
  const places = new Map(siblings.map((s, i) => [s.id, i]));
  return tree.list.map((s) => {
    const order = places.get(s.id) ?? s.order;
    return s.id === m.from_id ? { ...s, order, parent_id: String(parent) } : order === s.order ? s : { ...s, order };
  });
}
