// The fields of the product form: what they are called in the API, and how a product becomes them.
import type { Fault, Schemas } from "../../api/client";
import { moment, wallTime } from "../../parts/dates";
import { parseMoney, typedMoney } from "../../parts/money";
import { emptySeo, seoInput, seoValues } from "../../parts/seo";
import type { Passport } from "../../frame/session";
import type { Say, WordOf } from "../../words";
import { words } from "../../words/products";
import type { ItemInput } from "./data";
import { inputsOf, notTracked, optionsOf, variantsOf, type Option, type Variant } from "./variants/sets";

export interface ComboPart {
  product_id: number;
  variant_id: string;
  quantity: number;
}

export interface AttributeInput {
  option_ids: number[];
  number: string;
  text: string;
}

export interface Twin {
  language: string;
  url: string;
}

type Store = Passport["store"];

export type Choice = "" | "true" | "false";

const blank = {
  name: "",
  description: "",
  price: "",
  old_price: "",
  category_id: null as string | null,
  categories: [] as string[],
  is_published: true,
  published_at: "",
  is_shared: false,
  catalog_hidden: "" as Choice,
  comments_enabled: "" as Choice,
  questions_enabled: "" as Choice,
  configurable: "" as Choice,
  sku: "",
  gtin: "",
  brand: "",
  weight_g: "",
  country_of_origin: "",
  tax_class: "standard" as "standard" | "reduced" | "zero",
  tags: [] as string[],
  gallery: [] as string[],
  gallery_ids: [] as string[],
  preview_id: [] as string[], // at most one
  kind: "standard" as "standard" | "combo" | "multi",
  combo_items: [] as ComboPart[],
  combo_percent: "",
  attributes: {} as Record<string, AttributeInput>,
  stock_by: "product" as "product" | "variant",
  quantity: "",
  low_threshold: "",
  options: [] as Option[],
  variants: [] as Variant[],
  slug: "",
  ...emptySeo,
  alternates: [] as Twin[],
};

// Without the index signature of the shared fields, so that a name that is no field does not compile.
export type Fields = { [K in keyof typeof blank as string extends K ? never : K]: (typeof blank)[K] };
export type Field = keyof Fields;
export type Card = Schemas["CatalogProductCard"];
export const empty: Fields = blank;

// written names where the form writes each field of the call, so that a field that the API gets
// later does not compile until the form has it too.
export const written = {
  name: ["name"],
  description: ["description"],
  price: ["price", "old_price"],
  category_id: ["category_id"],
  categories: ["categories"],
  categories_replace: ["categories"],
  is_published: ["is_published"],
  published_at: ["published_at"],
  is_shared: ["is_shared"],
  is_deleted: [], // the buttons to delete and to restore
  catalog_hidden: ["catalog_hidden"],
  comments_enabled: ["comments_enabled"],
  questions_enabled: ["questions_enabled"],
  configurable: ["configurable"],
  sku: ["sku"],
  gtin: ["gtin"],
  brand: ["brand"],
  weight_g: ["weight_g"],
  country_of_origin: ["country_of_origin"],
  tax_class: ["tax_class"],
  tags: ["tags"],
  gallery: ["gallery"],
  gallery_ids: ["gallery_ids"],
  gallery_ids_replace: ["gallery_ids"],
  preview: ["preview_id"],
  preview_id: ["preview_id"],
  kind: ["kind"],
  combo_items: ["combo_items"],
  combo_discount: ["combo_percent"],
  attributes: ["attributes"],
  stock_by: ["stock_by"],
  stock: ["quantity", "low_threshold"],
  stock_quantity: [], // stock
  stock_low_threshold: [], // stock
  variants: ["options", "variants"],
  seo: ["slug", "page_title", "meta_title", "meta_description", "meta_keywords", "og_image", "og_image_url", "noindex", "nofollow", "alternates"],
} satisfies Record<keyof ItemInput, Field[]>;

// Each field of the form belongs to a field of the call.
type Unwritten = Exclude<Field, (typeof written)[keyof ItemInput][number]>;
true satisfies [Unwritten] extends [never] ? true : Unwritten;

const text = (n: number | null | undefined) => (n === null || n === undefined ? "" : String(n));
const one = (id: string | null) => (id ? [id] : []);

export function fieldsOf(card: Card, { price_digits: digits, timezone }: Store): Fields {
  const variants = variantsOf(card.variants, digits);
  const { name, description, is_published, is_shared, catalog_hidden, comments_enabled, questions_enabled, sku, gtin, brand, country_of_origin, tax_class, tags, gallery_ids, kind, stock_by } = card;
  return {
    name, description, is_published, is_shared, catalog_hidden, comments_enabled, questions_enabled, sku, gtin, brand, country_of_origin, tax_class, tags, gallery_ids, kind, stock_by,
    ...seoValues(card.seo), slug: card.seo.slug, alternates: card.seo.alternates,
    price: card.price.price ? typedMoney(card.price.price, digits) : "",
    old_price: card.price.old_price ? typedMoney(card.price.old_price, digits) : "",
    category_id: card.category_id ? String(card.category_id) : null,
    categories: card.categories.map(String),
    published_at: wallTime(card.published_at, timezone),
    configurable: card.configurable === null ? "" : card.configurable ? "true" : "false",
    weight_g: text(card.weight_g),
    gallery: card.gallery.map((f) => f.id),
    preview_id: card.preview_auto ? [] : one(card.preview_id),
    combo_items: card.combo_items.map((p) => ({ product_id: p.product_id, variant_id: p.variant_id ?? "", quantity: p.quantity })),
    combo_percent: card.combo_discount ? String(card.combo_discount.percent) : "",
    attributes: Object.fromEntries(card.attributes.map((a) => [a.attribute_id, { option_ids: a.option_ids, number: text(a.number), text: a.text }])),
    quantity: text(card.stock_quantity),
    low_threshold: text(card.stock_low_threshold),
    options: optionsOf(variants),
    variants,
  };
}

// itemOf writes the changed fields as the body of the call. A fault names a field that is no value
// at all; everything else the API judges.
export function itemOf(values: Fields, changed: Field[], base: Fields | undefined, { price_digits: digits, timezone }: Store, notANumber: string): { item: ItemInput; faults: Fault[] } {
  const item: ItemInput = {};
  const faults: Fault[] = [];
  const refuse = (place: string) => faults.push({ code: "NOT_A_NUMBER", place, detail: notANumber });
  const has = (field: keyof ItemInput) => written[field].some((n) => changed.includes(n));
  function parsed(name: Field & ("price" | "old_price" | "weight_g" | "quantity" | "low_threshold" | "combo_percent"), parse: (t: string) => number | undefined): number | null {
    const typed = values[name].trim();
    if (typed === "") return null;
    const n = parse(typed);
    if (n === undefined) refuse(name);
    return n ?? null;
  }
  const money = (t: string) => parseMoney(t, digits);
  const whole = (t: string) => (/^\d{1,10}$/.test(t) ? Number(t) : undefined);

  for (const name of ["name", "description", "sku", "gtin", "brand", "country_of_origin", "tax_class", "is_published", "is_shared", "catalog_hidden", "comments_enabled", "questions_enabled", "tags", "kind", "stock_by"] as const) {
    if (has(name)) Object.assign(item, { [name]: values[name] });
  }
  if (has("category_id")) item.category_id = Number(values.category_id ?? 0);
  if (has("categories")) Object.assign(item, { categories: values.categories.map(Number), categories_replace: true });
  if (has("price")) {
    item.price = {};
    if (changed.includes("price")) item.price.price = parsed("price", money) ?? 0; // the API knows no other "none"
    if (changed.includes("old_price")) item.price.old_price = parsed("old_price", money) ?? 0;
  }
  if (has("published_at")) item.published_at = moment(values.published_at, timezone);
  if (has("configurable")) item.configurable = values.configurable === "" ? null : values.configurable === "true";
  if (has("weight_g")) item.weight_g = parsed("weight_g", whole);
  if (has("gallery")) item.gallery = values.gallery.map((id) => ({ id }));
  if (has("gallery_ids")) Object.assign(item, { gallery_ids: values.gallery_ids, gallery_ids_replace: true });
  if (has("preview_id")) Object.assign(item, base ? { preview_id: values.preview_id[0] ?? null } : { preview: { id: values.preview_id[0] ?? null } });
  if (has("combo_items")) item.combo_items = values.combo_items.map(({ variant_id, ...part }) => (variant_id ? { ...part, variant_id } : part));
  if (has("combo_discount")) {
    const percent = parsed("combo_percent", (t) => (/^\d{1,3}([.,]\d{1,2})?$/.test(t) ? Number(t.replace(",", ".")) : undefined));
    item.combo_discount = { percent: percent ?? 0 };
  }
  if (has("attributes")) {
    item.attributes = Object.entries(values.attributes).map(([id, a]) => {
      const number = a.number.trim() === "" ? null : Number(a.number.trim().replace(",", "."));
      if (number !== null && !Number.isFinite(number)) refuse("attributes");
      return { attribute_id: Number(id), ...(a.option_ids.length > 0 && { option_ids: a.option_ids }), ...(number !== null && { number }), ...(a.text && { text: a.text }) };
    });
  }
  if (has("stock") && values.stock_by === "product") {
    item.stock = { low_threshold: parsed("low_threshold", whole) }; // which the call clears where it is absent
    if (changed.includes("quantity")) item.stock.quantity = parsed("quantity", whole) ?? notTracked;
  }
  if (has("variants") || (has("stock_by") && values.variants.length > 0)) {
    item.variants = inputsOf(values.variants, base?.variants ?? [], values.stock_by === "variant", digits, refuse);
  }
  if (has("seo")) item.seo = { ...seoInput(values, values.slug, undefined), alternates: values.alternates.filter((t) => t.language || t.url) };
  return { item, faults };
}

// fieldAt names the field of the form for a place in the body: "item.price.old_price".
export function fieldAt(place: string): Field | undefined {
  if (place.startsWith("item.variants")) return "variants";
  const parts = place.split(/[.[\]]/).filter(Boolean).reverse();
  const found = parts.find((part) => part in empty);
  if (found) return found as Field;
  return parts.flatMap((part) => (part in written ? (written[part as keyof ItemInput] as Field[]) : [])).at(0);
}

// reasonOf says why something was refused: in the person's language where there are words for it.
export function reasonOf(say: Say<WordOf<typeof words>>, refused: { code: string; detail?: string | undefined }): string {
  const word = `code_${refused.code}`;
  return word in words ? say(word as keyof typeof words) : refused.detail || refused.code;
}
