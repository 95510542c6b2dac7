// The calls of the pages about design. All of them read and write the draft of the shop.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, Refusal, type Schemas } from "../../api/client";
import { draft } from "../../api/draft";
import { same } from "../../parts/kept";
import { kindOf, read, type Block, type Section } from "./sections";

export type Binding = Schemas["SiteBindingView"];
export type Resource = Schemas["DesignResource"];
export const resourceTypes = ["shop", "category", "category_children", "product", "article", "theme"] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const sectionsQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "design", "sections"],
    queryFn: async ({ signal }) => (await answer(draft.GET("/categories", { params: { query: { view: "menu" } }, signal }))).result,
    staleTime: 30_000,
  });

// Owner is what a page belongs to, with the blocks of its own.
export interface Owner {
  name: string;
  own: Block[];
  category?: Schemas["CatalogCategoryAnswer"]["result"];
  published: boolean;
}

async function readOwner(type: ResourceType, id: number): Promise<Owner> {
  const path = { id };
  if (type === "category" || type === "category_children") {
    const { result, content_blocks } = await answer(draft.GET("/categories/{id}", { params: { path } }));
    return { name: result.name, own: type === "category" ? content_blocks : [], category: result, published: result.is_published };
  }
  if (type === "article") {
    const { result, content_blocks } = await answer(draft.GET("/articles/{id}", { params: { path } }));
    return { name: result.title, own: content_blocks, published: result.is_published };
  }
  if (type === "product") {
    const { result } = await answer(draft.GET("/products/{id}", { params: { path } }));
    return { name: result.name, own: [], published: result.is_published };
  }
  return { name: "", own: [], published: true };
}

// Page is a page with all blocks that it shows.
export interface Page extends Owner {
  type: ResourceType;
  id: number;
  binding: Binding;
  blocks: Block[]; // all of the shop
}

export const readBlocks = async () => (await answer(draft.GET("/content-blocks"))).result;

export async function readPage(type: ResourceType, id: number): Promise<Page> {
  const [owner, { result: binding }, blocks] = await Promise.all([readOwner(type, id), answer(draft.GET("/design/bindings/{type}/{id}", { params: { path: { type, id: String(id) } } })), readBlocks()]);
  return { ...owner, type, id, binding, blocks };
}

export const pageQuery = (shop: string, type: ResourceType, id: number) =>
  queryOptions({
    queryKey: [shop, "design", "page", type, id],
    queryFn: () => readPage(type, id),
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

// previewQuery is the address that shows the draft, for a day.
export const previewQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "design", "preview"],
    queryFn: async () => (await answer(api.POST("/drafts/preview", {}))).result,
    staleTime: 12 * 3600_000,
  });

// pathOf is the address of a page in the preview. It leads on to where visitors find the page.
export function pathOf(page: Page): string {
  if (page.category) return page.category.is_home ? "/" : `/category/${page.id}`;
  return page.type === "product" || page.type === "article" ? `/${page.type}/${page.id}` : "/";
}

export type Slot = "header" | "body" | "own" | "footer";

// Part is a part of a page: the blocks of a group, and where the group is bound, or the page's own.
export interface Part {
  slot: Slot;
  bound?: Schemas["DesignBound"] | undefined;
  blocks: Block[];
}

const ids = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

// membersOf lists the blocks that a section of a group or of columns holds.
function membersOf(section: Section): string[] {
  const props = read(section, ["payload", "props"]);
  switch (kindOf(section)) {
    case "group": {
      const columns = [...ids(read(props, ["grid", "main"])), ...ids(read(props, ["grid", "aside"]))];
      return columns.length > 0 ? columns : ids(read(props, ["widgets"]));
    }
    case "columns": {
      const cells = read(props, ["cells"]);
      return Array.isArray(cells) ? cells.flatMap((c: unknown) => ids(read(c, ["widgets"]))) : [];
    }
    case "zone":
      return ids(read(props, ["refs"]));
    default:
      return [];
  }
}

// templateOf is the group that draws the body of a page: that of its kind, else the general one,
// from the nearest place that has either.
function templateOf(page: Page) {
  const { resolved } = page.binding;
  const special = page.type === "article" ? resolved.body_article : page.category?.type === "news" ? resolved.body_news : undefined;
  const body = resolved.body?.source.type === "system" ? undefined : resolved.body;
  if (!special || !body) return special ?? body;
  const order = [page.type, "category_children", "theme", "shop", "system"];
  return order.indexOf(body.source.type) < order.indexOf(special.source.type) ? body : special;
}

export function partsOf(page: Page): Part[] {
  const byID = new Map([...page.blocks, ...page.own].map((b) => [b.id, b]));
  const seen = new Set<string>();
  const collect = (list: string[]): Block[] =>
    list.flatMap((id) => {
      const block = byID.get(id);
      if (!block || seen.has(id)) return [];
      seen.add(id);
      const inner = collect(block.sections.filter((s) => kindOf(s) !== "zone").flatMap(membersOf));
      return block.group_type === "" ? [block, ...inner] : inner;
    });
  const group = (slot: "header" | "body" | "footer"): Part => {
    const bound = slot === "body" ? templateOf(page) : page.binding.resolved[slot];
    return { slot, bound, blocks: bound ? collect(byID.get(bound.group_id)?.sections.flatMap(membersOf) ?? []) : [] };
  };
  return [group("header"), group("body"), { slot: "own", blocks: collect(page.own.map((b) => b.id)) }, group("footer")];
}

export const saveSections = async (block: Block, sections: Section[]) =>
  (await answer(draft.PUT("/content-blocks/{id}", { params: { path: { id: block.id } }, body: { item: { sections }, expected_updated_at: block.updated_at } }))).result;

const createBlock = async (name: string, sections: Section[], group_type: Block["group_type"] = "") =>
  (await answer(draft.POST("/content-blocks", { body: { item: { name: name.slice(0, 255) || "—", group_type, sections } } }))).result;

const groupOf = (widgets: string[]): Section[] => [{ type: "text", payload: { v: 2, kind: "group", props: { widgets } } }];

export const bind = async (at: Resource, slots: Binding["slots"], expected_updated_at?: string) =>
  (await answer(draft.PUT("/design/bindings/{type}/{id}", { params: { path: { type: at.type, id: String(at.id) } }, body: { slots, ...(expected_updated_at ? { expected_updated_at } : {}) } }))).result;

const groupTypes: Record<ResourceType, Block["group_type"]> = { shop: "chrome", theme: "chrome", category: "category", category_children: "product", product: "product", article: "article" };

// fill gives a page blocks where it has none: a page of text gets one of its own, others a group in
// place of what the platform draws.
export async function fill(page: Page, name: string, sections: Section[]): Promise<void> {
  const block = await createBlock(name, sections);
  if (page.category?.type === "page" && !page.category.is_home && page.type === "category") return attach(page.id, [...page.own, block]);
  if (page.type === "article") {
    await answer(draft.PUT("/articles/{id}/content-blocks", { params: { path: { id: page.id } }, body: { items: placed([...page.own, block]) } }));
    return;
  }
  const group = await createBlock(name, groupOf([block.id]), groupTypes[page.type]);
  await bind({ type: page.type, id: String(page.id) }, { ...page.binding.slots, body: group.id }, page.binding.updated_at);
}

const placed = (blocks: Block[]) => blocks.map((b, i) => ({ block_id: b.id, sort_order: i + 1 }));

async function attach(id: number, blocks: Block[]): Promise<void> {
  await answer(draft.PUT("/categories/{id}/content-blocks", { params: { path: { id } }, body: { items: placed(blocks) } }));
}

// fillChrome makes a header or a footer for the whole shop.
export async function fillChrome(slot: "header" | "footer", name: string, sections: Section[]): Promise<void> {
  const { result: binding } = await answer(draft.GET("/design/bindings/{type}/{id}", { params: { path: { type: "shop", id: "0" } } }));
  const block = await createBlock(name, sections);
  const group = await createBlock(name, groupOf([block.id]), "chrome");
  await bind({ type: "shop", id: "0" }, { ...binding.slots, [slot]: group.id }, binding.updated_at);
}

// createPage makes a page of a starter. Nothing of it is live before it is published.
export async function createPage(name: string, home: boolean, sections: Section[]): Promise<number> {
  const { result } = await answer(draft.POST("/categories", { body: { item: { name, type: "page", is_published: true, is_show_menu: !home, ...(home ? { is_home: true } : {}) } } }));
  await fill(await readPage("category", result.id), name, sections);
  return result.id;
}

// sectionsOfBoth has what two people changed of a block, if each changed other sections and none was
// added, deleted or moved.
function sectionsOfBoth(before: Section[], mine: Section[], theirs: Section[]): Section[] | undefined {
  if (mine.length !== before.length || theirs.length !== before.length) return undefined;
  const both = mine.map((section, i) => (same(section, before[i]) ? theirs[i]! : section));
  return both.every((section, i) => same(section, theirs[i]) || same(theirs[i], before[i])) ? both : undefined;
}

// saveBeside saves a block that somebody else saved meanwhile, if both changes fit together; else the
// conflict of the block becomes one of the page.
export async function saveBeside(error: unknown, page: Page, before: Block, mine: Section[]): Promise<Block> {
  if (!(error instanceof Refusal) || error.code !== "EDIT_CONFLICT") throw error;
  const current = await readPage(page.type, page.id);
  const theirs = [...current.blocks, ...current.own].find((b) => b.id === before.id);
  const both = theirs && sectionsOfBoth(before.sections, mine, theirs.sections);
  if (both) return saveSections(theirs, both);
  throw new Refusal(error.status, error.code, error.detail, [], { ...error.body, current });
}
