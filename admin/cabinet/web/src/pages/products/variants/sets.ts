// Variants of a product as rows of texts, and the options that they are made from.
import type { Schemas } from "../../../api/client";
import { parseMoney, typedMoney } from "../../../parts/money";

export interface Option {
  name: string;
  values: string[];
}

// Variant is a row of the table. id is empty until the variant is saved.
export interface Variant {
  id: string;
  options: Record<string, string>;
  title: string;
  sku: string;
  price: string;
  old_price: string;
  quantity: string;
  low: string;
  gtin: string;
  weight: string;
  swatch: string;
  image_id: string | null;
  is_active: boolean;
}

export type VariantInput = Schemas["CatalogCountedVariantInput"];

// notTracked is the quantity with which the API stops counting.
export const notTracked = -1;

export const maxVariants = 500;
export const maxOptions = 20;

const blank: Variant = {
  id: "", options: {}, title: "", sku: "", price: "", old_price: "", quantity: "", low: "", gtin: "", weight: "", swatch: "", image_id: null, is_active: true,
};

const text = (n: number | null) => (n === null ? "" : String(n));

export function variantsOf(list: Schemas["CatalogVariantView"][], digits: number): Variant[] {
  const money = (n: number | null) => (n === null ? "" : typedMoney(n, digits));
  return list.map((v) => ({
    id: v.id, options: v.options, title: v.title, sku: v.sku, price: money(v.price), old_price: money(v.old_price),
    quantity: text(v.stock_quantity), low: text(v.stock_low_threshold), gtin: v.gtin, weight: text(v.weight_g), swatch: v.swatch, image_id: v.image_id, is_active: v.is_active,
  }));
}

// optionsOf finds the options that the variants stand for, with their values in the order of the rows.
export function optionsOf(variants: Variant[]): Option[] {
  const found = new Map<string, Set<string>>();
  for (const v of variants) {
    for (const [name, value] of Object.entries(v.options)) {
      const values = found.get(name) ?? new Set();
      found.set(name, values.add(value));
    }
  }
  return [...found].map(([name, values]) => ({ name, values: [...values] }));
}

const keyOf = (options: Record<string, string>) => JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));

// combined returns the variants for changed values of one option: rows of values that are gone are
// dropped, and new values are combined with all others. The rows that stay keep what they have, and
// rows that people deleted stay deleted. null: there would be too many.
export function combined(variants: Variant[], options: Option[], name: string, values: string[]): Variant[] | null {
  const before = options.find((o) => o.name === name)?.values ?? [];
  const rest = options.filter((o) => o.name !== name && o.values.length > 0);
  if (values.length === 0) return unique(variants.map((v) => ({ ...v, options: without(v.options, name) }))).filter((v) => rest.length > 0 || Object.keys(v.options).length > 0 || v.title !== "");
  if (before.length === 0) {
    if (variants.length === 0) return values.length > maxVariants ? null : values.map((value) => ({ ...blank, options: { [name]: value } }));
    if (variants.length * values.length > maxVariants) return null;
    return variants.flatMap((v) => values.map((value, i) => (i === 0 ? { ...v, options: { ...v.options, [name]: value } } : copyOf(v, { ...v.options, [name]: value }))));
  }
  const kept = variants.filter((v) => v.options[name] === undefined || values.includes(v.options[name]));
  const added = values.filter((value) => !before.includes(value));
  const size = rest.reduce((n, o) => n * o.values.length, added.length);
  if (kept.length + size > maxVariants) return null;
  let combinations: Record<string, string>[] = added.map((value) => ({ [name]: value }));
  for (const o of rest) combinations = combinations.flatMap((c) => o.values.map((value) => ({ ...c, [o.name]: value })));
  const like = (c: Record<string, string>) => kept.find((v) => rest.every((o) => v.options[o.name] === c[o.name])) ?? blank;
  const all = unique([...kept, ...combinations.map((c) => copyOf(like(c), c))]);
  return added.length === 0 ? all : inOrder(all, options.map((o) => (o.name === name ? { name, values } : o)));
}

// inOrder sorts variants as their options and values are listed.
function inOrder(variants: Variant[], options: Option[]): Variant[] {
  const places = options.map((o) => new Map(o.values.map((value, i) => [value, i])));
  const placeOf = (v: Variant, i: number) => places[i]!.get(v.options[options[i]!.name] ?? "") ?? -1;
  return variants.toSorted((a, b) => options.map((_, i) => placeOf(a, i) - placeOf(b, i)).find((d) => d !== 0) ?? 0);
}

// renamed gives an option another name.
export function renamed(variants: Variant[], from: string, to: string): Variant[] {
  return variants.map((v) => ({ ...v, options: Object.fromEntries(Object.entries(v.options).map(([n, value]) => [n === from ? to : n, value])) }));
}

// copyOf is a new variant with the price and weight of another; what tells them apart is left empty.
function copyOf(v: Variant, options: Record<string, string>): Variant {
  return { ...v, id: "", options, title: "", sku: "", gtin: "", quantity: "", swatch: "" };
}

function without(options: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(options).filter(([n]) => n !== name));
}

function unique(variants: Variant[]): Variant[] {
  const seen = new Set<string>();
  return variants.filter((v) => {
    const key = keyOf(v.options) + (Object.keys(v.options).length ? "" : v.title + v.id);
    return !seen.has(key) && seen.add(key);
  });
}

// nameOf is what a variant is called: its values, in the order of the options if they are given.
export function nameOf(v: Variant, options: Option[] = optionsOf([v])): string {
  return options.flatMap((o) => v.options[o.name] ?? []).join(" · ") || v.title;
}

// inputsOf writes the variants as the call takes them: a saved one is named by its id, with only
// what changed, because the rest may have been changed meanwhile (its stock by an order). refuse gets the place of what is no number.
export function inputsOf(variants: Variant[], before: Variant[], counted: boolean, digits: number, refuse: (place: string) => void): VariantInput[] {
  const old = new Map(before.map((v) => [v.id, v]));
  return variants.map((v, row) => {
    const was = old.get(v.id);
    const input: VariantInput = was ? { id: v.id } : {};
    const has = (name: keyof Variant) => JSON.stringify(v[name]) !== JSON.stringify(was ? was[name] : blank[name]);
    const number = (name: "price" | "old_price" | "weight" | "quantity" | "low", parse: (t: string) => number | undefined) => {
      if (v[name].trim() === "") return null;
      const n = parse(v[name]);
      if (n === undefined) refuse(`item.variants[${row}].${name}`);
      return n ?? null;
    };
    const money = (t: string) => parseMoney(t, digits);
    const whole = (t: string) => (/^\d{1,10}$/.test(t.trim()) ? Number(t) : undefined);
    for (const name of ["options", "title", "sku", "gtin", "swatch", "image_id", "is_active"] as const) {
      if (has(name)) Object.assign(input, { [name]: v[name] });
    }
    if (has("price")) input.price = number("price", money);
    if (has("old_price")) input.old_price = number("old_price", money);
    if (has("weight")) input.weight_g = number("weight", whole);
    if (counted && (has("quantity") || has("low"))) {
      input.stock = { low_threshold: number("low", whole) }; // which the call clears where it is absent
      if (has("quantity")) input.stock.quantity = number("quantity", whole) ?? notTracked;
    }
    return input;
  });
}

const columnOf: Record<string, string> = { weight_g: "weight", "stock.quantity": "quantity", "stock.low_threshold": "low", stock: "quantity" };

// cellAt names the cell, as "row.column", for a place in the body: "item.variants[3].sku".
export function cellAt(place: string): string | undefined {
  const found = /variants\[(\d+)\]\.?(.*)$/.exec(place);
  if (!found) return undefined;
  const [, row, field] = found;
  return `${row}.${columnOf[field!] ?? (field || "name")}`;
}
