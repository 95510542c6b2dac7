// The columns of the grid of products: how a product becomes texts, and texts a call.
import type { Schemas } from "../../../api/client";
import { parseMoney, typedMoney } from "../../../parts/money";
import type { Say, WordOf } from "../../../words";
import type { words } from "../../../words/products";
import type { ItemInput } from "../data";
import type { Product } from "../search";
import { notTracked } from "../variants/sets";

export type ColumnKey = "name" | "sku" | "price" | "old_price" | "quantity" | "section" | "published" | "brand" | "gtin" | "weight" | "tags";

// Cells are texts that were typed, by product and column.
export type Cells = Record<string, Partial<Record<ColumnKey, string>>>;

export interface Sheets {
  digits: number;
  say: Say<WordOf<typeof words>>;
  sections: Map<string, string>; // names by id, with their parents where a name is not unique
}

const text = (n: number | null) => (n === null ? "" : String(n));

export function textsOf(p: Product, { digits, say, sections }: Sheets): Record<ColumnKey, string> {
  return {
    name: p.name,
    sku: p.sku,
    price: typedMoney(p.price.price, digits),
    old_price: p.price.old_price ? typedMoney(p.price.old_price, digits) : "",
    quantity: text(p.stock_quantity),
    section: sections.get(String(p.category_id)) ?? "",
    published: say(p.is_published ? "yes" : "no"),
    brand: p.brand,
    gtin: p.gtin,
    weight: text(p.weight_g),
    tags: p.tags.join(", "),
  };
}

// countable reports whether the quantity of a product is its own, not that of its variants or parts.
export const countable = (p: Product) => p.stock_by === "product" && p.kind !== "combo";

export interface Written {
  item: ItemInput;
  quantity: number | undefined;
  faults: Partial<Record<ColumnKey, string>>;
}

// writtenOf reads the texts of one product as the calls take them.
export function writtenOf(typed: Cells[string], { digits, say, sections }: Sheets): Written {
  const item: ItemInput = {};
  const faults: Written["faults"] = {};
  let quantity: number | undefined;
  const money = (t: string) => (t === "" ? 0 : parseMoney(t, digits));
  const whole = (t: string) => (/^\d{1,10}$/.test(t) ? Number(t) : undefined);
  const yesNo = (t: string) => (["1", "+", "true", "yes", "да", say("yes").toLowerCase()].includes(t.toLowerCase()) ? true : ["", "0", "-", "false", "no", "нет", say("no").toLowerCase()].includes(t.toLowerCase()) ? false : undefined);
  // need notes a fault where the text has no such meaning.
  function need<T>(column: ColumnKey, value: T | undefined, set: (v: T) => void) {
    if (value === undefined) faults[column] = say(column === "section" ? "noSuchSection" : column === "published" ? "yesOrNo" : "notANumber");
    else set(value);
  }
  for (const [key, value] of Object.entries(typed)) {
    const column = key as ColumnKey;
    if (column === "name" || column === "sku" || column === "brand" || column === "gtin") item[column] = value;
    else if (column === "price" || column === "old_price") need(column, money(value), (n) => (item.price = { ...item.price, [column]: n }));
    else if (column === "quantity") need(column, value === "" ? notTracked : whole(value), (n) => (quantity = n));
    else if (column === "weight") need(column, value === "" ? null : whole(value), (n) => (item.weight_g = n));
    else if (column === "published") need(column, yesNo(value), (v) => (item.is_published = v));
    else if (column === "section") need(column, value === "" ? "0" : [...sections].find(([, name]) => name.toLowerCase() === value.toLowerCase())?.[0], (id) => (item.category_id = Number(id)));
    else item.tags = value.split(",").map((t) => t.trim()).filter(Boolean);
  }
  return { item, quantity, faults };
}

const columnAt: Record<string, ColumnKey> = {
  name: "name", sku: "sku", price: "price", "price.price": "price", "price.old_price": "old_price", category_id: "section", is_published: "published", brand: "brand", gtin: "gtin", weight_g: "weight", tags: "tags", quantity: "quantity",
};

// columnOf names the column of a refusal; without a place it is the first that was typed.
export function columnOf(place: string | undefined, typed: Cells[string]): ColumnKey {
  return columnAt[place ?? ""] ?? columnAt[(place ?? "").split(/[.[]/)[0]!] ?? (Object.keys(typed)[0] as ColumnKey);
}

// sectionNames names the sections so that each name is one section: with its parents where needed.
export function sectionNames(list: Schemas["CatalogCategoryView"][]): Map<string, string> {
  const byID = new Map(list.map((s) => [String(s.id), s]));
  const own = list.filter((s) => s.type === "product" && !s.is_deleted);
  const count = new Map<string, number>();
  for (const s of own) count.set(s.name, (count.get(s.name) ?? 0) + 1);
  const path = (s: (typeof list)[number], depth = 0): string => {
    const parent = depth < 20 ? byID.get(s.parent_id) : undefined;
    return parent ? path(parent, depth + 1) + " / " + s.name : s.name;
  };
  return new Map(own.map((s) => [String(s.id), count.get(s.name) === 1 ? s.name : path(s)]));
}
