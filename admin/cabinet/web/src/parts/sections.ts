// The tree of the shop's sections.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../api/client";

export type Section = Schemas["CatalogCategoryView"];
export type Kind = Section["type"];
export const kinds: Kind[] = ["product", "page", "news", "site"];

// treeQuery reads all sections with what a tree shows of them; texts and pictures are left out.
export const treeQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "sections", "tree"],
    queryFn: async ({ signal }) => (await answer(api.GET("/categories", { params: { query: { view: "menu" } }, signal }))).result,
    staleTime: 30_000,
    structuralSharing: false, // to compare 5,000 sections takes longer than to draw those that are seen
  });

// SectionTree finds the sections around each other.
export class SectionTree {
  readonly byID = new Map<number, Section>();
  private readonly below = new Map<number, Section[]>();

  constructor(readonly list: Section[]) {
    for (const s of list) this.byID.set(s.id, s);
    for (const s of [...list].sort((a, b) => a.order - b.order || a.id - b.id)) {
      const parent = this.parentOf(s)?.id ?? 0;
      const siblings = this.below.get(parent);
      if (siblings) siblings.push(s);
      else this.below.set(parent, [s]);
    }
  }

  parentOf(s: Section): Section | undefined {
    return this.byID.get(Number(s.parent_id));
  }

  children(id: number): Section[] {
    return this.below.get(id) ?? [];
  }

  siblings(s: Section): Section[] {
    return this.children(this.parentOf(s)?.id ?? 0);
  }

  // above lists the sections above one, the nearest first.
  above(s: Section): Section[] {
    const list: Section[] = [];
    for (let p = this.parentOf(s); p && !list.includes(p); p = this.parentOf(p)) list.push(p);
    return list;
  }

  count(id: number): number {
    return this.children(id).reduce((n, c) => n + 1 + this.count(c.id), 0);
  }

  // path is the address of a section in the shop; slug and parent may be what they are about to be.
  path(slug: string, parent: Section | undefined, home: boolean): string {
    if (home) return "/";
    const up = parent ? [parent, ...this.above(parent)] : [];
    const end = up.findIndex((s) => s.is_home); // what is below the home page begins at the root
    const slugs = (end < 0 ? up : up.slice(0, end)).map((s) => s.seo.slug).reverse();
    return "/" + [...slugs, slug].join("/");
  }

  pathOf(s: Section): string {
    return this.path(s.seo.slug, this.parentOf(s), s.is_home);
  }
}

export interface SectionOption {
  value: string;
  label: string;
  depth: number;
}

// sectionOptions lists sections of products, each below its parent.
export function sectionOptions(sections: Section[]) {
  const children = new Map<string, typeof sections>();
  for (const s of sections) {
    if (s.type !== "product" || s.is_deleted) continue;
    const list = children.get(s.parent_id) ?? [];
    list.push(s);
    children.set(s.parent_id, list);
  }
  const known = new Set(sections.filter((s) => s.type === "product").map((s) => String(s.id)));
  const options: SectionOption[] = [];
  const add = (list: typeof sections, depth: number) => {
    for (const s of [...list].sort((a, b) => a.order - b.order || a.id - b.id)) {
      options.push({ value: String(s.id), label: s.name, depth });
      add(children.get(String(s.id)) ?? [], depth + 1);
    }
  };
  for (const [parent, list] of children) if (!known.has(parent)) add(list, 0);
  return options;
}
