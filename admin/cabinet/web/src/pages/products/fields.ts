// The fields of the product form: what they are called in the API, and how a product becomes them.
import type { Schemas } from "../../api/client";
import { parseMoney, typedMoney } from "../../parts/money";
import type { ItemInput } from "./data";

export interface Fields extends Record<string, unknown> {
  name: string;
  description: string;
  price: string;
  old_price: string;
  category_id: string | null;
  is_published: boolean;
  sku: string;
  brand: string;
  tags: string[];
  gallery: string[];
  quantity: string;
  low_threshold: string;
  slug: string;
  meta_title: string;
  meta_description: string;
}

export type Card = Schemas["CatalogProductCard"];

export const empty: Fields = {
  name: "",
  description: "",
  price: "",
  old_price: "",
  category_id: null,
  is_published: true,
  sku: "",
  brand: "",
  tags: [],
  gallery: [],
  quantity: "",
  low_threshold: "",
  slug: "",
  meta_title: "",
  meta_description: "",
};

const number = (n: number | null | undefined) => (n === null || n === undefined ? "" : String(n));

export function fieldsOf(card: Card, digits: number): Fields {
  const optional = (amount: number | undefined) => (amount ? typedMoney(amount, digits) : "");
  return {
    name: card.name,
    description: card.description,
    price: card.price ? typedMoney(card.price.price, digits) : "",
    old_price: optional(card.price?.old_price),
    category_id: card.category_id ? String(card.category_id) : null,
    is_published: card.is_published,
    sku: card.sku,
    brand: card.brand,
    tags: card.tags,
    gallery: card.gallery.map((f) => f.id),
    quantity: number(card.stock_quantity),
    low_threshold: number(card.stock_low_threshold),
    slug: card.seo.slug,
    meta_title: card.seo.meta_title,
    meta_description: card.seo.meta_description,
  };
}

export type Faults = Partial<Record<keyof Fields, string>>;

// itemOf writes the changed fields as the body of the call. A fault names a field that is no value
// at all; everything else the API judges.
export function itemOf(values: Fields, changed: (keyof Fields)[], base: Card | undefined, digits: number, notANumber: string): { item: ItemInput; faults: Faults } {
  const item: ItemInput = {};
  const faults: Faults = {};
  const money = (name: "price" | "old_price") => {
    if (values[name].trim() === "") return 0;
    const amount = parseMoney(values[name], digits);
    if (amount === undefined) faults[name] = notANumber;
    return amount;
  };
  const whole = (name: "quantity" | "low_threshold") => {
    const text = values[name].trim();
    if (text === "") return null;
    if (!/^\d{1,9}$/.test(text)) faults[name] = notANumber;
    return Number(text);
  };
  const has = (...names: (keyof Fields)[]) => names.some((n) => changed.includes(n));
  for (const name of ["name", "description", "sku", "brand", "is_published", "tags"] as const) {
    if (has(name)) Object.assign(item, { [name]: values[name] });
  }
  if (has("category_id")) item.category_id = values.category_id ? Number(values.category_id) : 0;
  if (has("price", "old_price")) item.price = { price: money("price"), old_price: money("old_price") };
  if (has("gallery")) item.gallery = values.gallery.map((id) => ({ id }));
  if (has("quantity", "low_threshold")) item.stock = { quantity: whole("quantity"), low_threshold: whole("low_threshold") };
  if (has("slug", "meta_title", "meta_description")) {
    item.seo = { ...base?.seo, slug: values.slug, meta_title: values.meta_title, meta_description: values.meta_description };
  }
  return { item, faults };
}

// fieldAt names the field of the form for a place in the body: "item.price.old_price".
export function fieldAt(place: string): keyof Fields | undefined {
  const names = Object.keys(empty) as (keyof Fields)[];
  const parts = place.split(/[.[\]]/).filter(Boolean).reverse();
  return parts.map((part) => names.find((n) => n === part)).find(Boolean);
}
