// The text of an article is in one of its content blocks. Its other blocks stay as they are.
import { answer, api, type Schemas } from "../../api/client";
import { isHTML, plainAsHTML } from "../../parts/rich/html";
import type { Page } from "./data";

type Block = Schemas["StoreBlock"];
type Payload = { kind?: string; text?: string; origin?: string; props?: { text?: string } };

const payloadOf = (section: Block["sections"][number]) => (section.payload ?? {}) as Payload;
const isText = (section: Block["sections"][number]) => section.type === "text" && (payloadOf(section).kind ?? "text") === "text";

// textBlock is the first block of an article with a text of its own.
export const textBlock = (page: Page | undefined) => page?.content_blocks.find((b) => b.group_type === "" && b.sections.some(isText));

// textOf is the text as RichText edits it. What is printed literally becomes HTML that shows the same.
export function textOf(page: Page | undefined): string {
  const section = textBlock(page)?.sections.find(isText);
  if (!section) return "";
  const { text = "", origin, props } = payloadOf(section);
  const all = (props?.text ?? "") + text;
  return origin === "builder" && isHTML(all) ? plainAsHTML(all) : all;
}

// sectionsWith returns the sections of a block with another text.
export function sectionsWith(block: Pick<Block, "sections"> | undefined, text: string): Block["sections"] {
  const sections = block?.sections ?? [{ type: "text", payload: { v: 2, kind: "text" } }];
  const at = sections.findIndex(isText);
  return sections.map((section, i) => {
    if (i !== at) return section;
    const { text: _, origin: __, ...payload } = payloadOf(section);
    return { ...section, payload: { ...payload, props: { ...payload.props, text } } };
  });
}

// saveText stores the text of an article and returns the article's blocks.
export async function saveText(page: Page, text: string): Promise<Block[]> {
  const block = textBlock(page);
  const sections = sectionsWith(block, text);
  if (block) {
    const { result } = await answer(api.PUT("/content-blocks/{id}", { params: { path: { id: block.id } }, body: { item: { sections }, expected_updated_at: block.updated_at } }));
    return page.content_blocks.map((b) => (b.id === block.id ? { ...result, sort_order: b.sort_order } : b));
  }
  const { result } = await answer(api.POST("/content-blocks", { body: { item: { name: page.result.title.slice(0, 255), sections } } }));
  const last = Math.max(0, ...page.content_blocks.map((b) => b.sort_order));
  const items = [...page.content_blocks.map((b) => ({ block_id: b.id, sort_order: b.sort_order })), { block_id: result.id, sort_order: last + 1 }];
  return (await answer(api.PUT("/articles/{id}/content-blocks", { params: { path: { id: page.result.id } }, body: { items } }))).result;
}
