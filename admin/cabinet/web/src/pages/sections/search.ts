// What the tree shows is in its address, so that a link shows the same.
import { kinds, type Kind } from "../../parts/sections";

export interface SectionSearch {
  q?: string | undefined;
  kind?: Kind | undefined;
  deleted?: true | undefined;
}

export function sectionSearch(raw: Record<string, unknown>): SectionSearch {
  return {
    q: typeof raw.q === "string" || typeof raw.q === "number" ? String(raw.q).slice(0, 200) || undefined : undefined,
    kind: kinds.find((k) => k === raw.kind),
    deleted: raw.deleted === true || undefined,
  };
}

export interface NewSectionSearch {
  parent?: number | undefined;
  kind?: Kind | undefined;
}

export function newSectionSearch(raw: Record<string, unknown>): NewSectionSearch {
  const parent = Number(raw.parent);
  return { parent: Number.isInteger(parent) && parent > 0 ? parent : undefined, kind: kinds.find((k) => k === raw.kind) };
}
