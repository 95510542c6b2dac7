// The fields of the form of an article: what they are called in the API, and how an article becomes them.
import { moment, wallTime } from "../../parts/dates";
import { emptySeo, seoInput, seoValues, type SeoValues } from "../../parts/seo";
import { textOf } from "./body";
import type { ItemInput, Page } from "./data";

export interface Fields extends SeoValues {
  title: string;
  announce: string;
  text: string;
  cover: string[];
  category_id: string | null;
  is_published: boolean;
  published_at: string; // as the shop's clock shows it
  badge: string;
  author_mode: "none" | "member" | "manual";
  author_name: string;
  author_description: string;
  gallery_ids: string[];
  slug: string;
}

// fieldsOf are the fields of an article. A new one is dated today, because one without a date is last
// in all lists.
export function fieldsOf(page: Page | undefined, zone: string, now: number, rubric: string | null): Fields {
  const a = page?.result;
  return {
    title: a?.title ?? "",
    announce: a?.announce ?? "",
    text: textOf(page),
    cover: a?.cover_id ? [a.cover_id] : [],
    category_id: a ? String(a.category_id) : rubric,
    is_published: a?.is_published ?? false,
    published_at: wallTime(a ? a.published_at : now, zone),
    badge: a?.badge ?? "",
    author_mode: a?.author.mode ?? "none",
    author_name: a?.author.name ?? "",
    author_description: a?.author.description ?? "",
    gallery_ids: a?.gallery_ids ?? [],
    slug: a?.slug ?? "",
    ...(a ? seoValues(a.seo) : emptySeo),
  };
}

// itemOf writes fields as the item of the call. The text is not among them: it has a call of its own.
export function itemOf(values: Fields, names: (keyof Fields)[], base: Page | undefined, zone: string): ItemInput {
  const item: ItemInput = {};
  const has = (...some: (keyof Fields)[]) => some.some((n) => names.includes(n));
  for (const name of ["title", "announce", "badge", "is_published", "slug"] as const) {
    if (has(name)) Object.assign(item, { [name]: values[name] });
  }
  if (has("category_id")) item.category_id = values.category_id;
  if (has("cover")) item.cover_id = values.cover[0] ?? null;
  if (has("published_at")) item.published_at = moment(values.published_at, zone);
  if (has("author_mode", "author_name", "author_description")) {
    const { author_mode: mode, author_name: name, author_description: description } = values;
    item.author = mode === "none" ? { mode } : { ...base?.result.author, mode, name, description };
  }
  if (has("gallery_ids")) Object.assign(item, { gallery_ids: values.gallery_ids, gallery_ids_replace: true });
  if (has(...(Object.keys(emptySeo) as (keyof Fields)[]))) item.seo = seoInput(values, "", base?.result.seo);
  return item;
}

const places: Record<string, string> = { cover_id: "cover", author: "author_mode", sections: "text", og_image_id: "og_image" };

// fieldAt names the field of the form for a place in the body: "item.seo.meta_title".
export function fieldAt(place: string, names: string[]): string | undefined {
  const parts = place.split(/[.[\]]/).filter(Boolean).reverse();
  return parts.map((p) => (names.includes(p) ? p : places[p])).find(Boolean);
}
