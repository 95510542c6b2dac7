// The fields of the section form: what they are called in the API, and how a section becomes them.
import type { Schemas } from "../../api/client";
import { emptySeo, seoInput, seoValues, type SeoValues } from "../../parts/seo";
import type { Kind } from "../../parts/sections";

export type Card = Schemas["CatalogCategoryCard"];
export type ItemInput = Schemas["CatalogCategoryItemInput"];

export interface Fields extends SeoValues {
  name: string;
  type: Kind;
  parent_id: string;
  description: string;
  preview: string[];
  gallery_ids: string[];
  is_published: boolean;
  is_show_menu: boolean;
  is_home: boolean;
  comments_enabled: Card["comments_enabled"];
  questions_enabled: Card["questions_enabled"];
  page_template: string;
  slug: string;
}

export const empty: Fields = {
  name: "",
  type: "product",
  parent_id: "0",
  description: "",
  preview: [],
  gallery_ids: [],
  is_published: true,
  is_show_menu: true,
  is_home: false,
  comments_enabled: "",
  questions_enabled: "",
  page_template: "",
  slug: "",
  ...emptySeo,
};

export const names = Object.keys(empty) as (keyof Fields & string)[];

export function fieldsOf(card: Card): Fields {
  const { name, type, parent_id, description, gallery_ids, is_published, is_show_menu, is_home, comments_enabled, questions_enabled, page_template } = card;
  return {
    ...{ name, type, parent_id, description, gallery_ids, is_published, is_show_menu, is_home, comments_enabled, questions_enabled, page_template },
    preview: card.preview_id ? [card.preview_id] : [],
    slug: card.seo.slug,
    ...seoValues(card.seo),
  };
}

const same = ["name", "type", "parent_id", "description", "is_published", "is_show_menu", "is_home", "comments_enabled", "questions_enabled", "page_template"] as const;

// itemOf writes the changed fields as the body of the call.
export function itemOf(values: Fields, changed: string[], base: Card | undefined): ItemInput {
  const item: ItemInput = Object.fromEntries(same.filter((n) => changed.includes(n)).map((n) => [n, values[n]]));
  if (changed.includes("preview")) item.preview_id = values.preview[0] ?? null;
  if (changed.includes("gallery_ids")) Object.assign(item, { gallery_ids: values.gallery_ids, gallery_ids_replace: true });
  if (changed.some((n) => n === "slug" || n in emptySeo)) item.seo = seoInput(values, values.slug, base?.seo);
  return item;
}

// fieldAt names the field of the form for a place in the body: "item.seo.slug".
export function fieldAt(place: string): string | undefined {
  const renamed: Record<string, string> = { preview_id: "preview", og_image_id: "og_image" };
  const parts = place.split(/[.[\]]/).filter(Boolean).reverse();
  return parts.map((part) => names.find((n) => n === (renamed[part] ?? part))).find(Boolean);
}
