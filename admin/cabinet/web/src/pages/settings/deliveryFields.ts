// The fields of a delivery option: how it becomes them, and how they become the body of the call.
import type { Body, Fault, Schemas } from "../../api/client";
import { parseMoney, typedMoney } from "../../parts/money";
import type { Delivery } from "./data";

export type Input = Omit<Body<"put", "/v1/shop/delivery-options/{id}">, "expected_updated_at">;
type RateInput = Schemas["SettingRateItemInput"];

const lists = ["countries", "regions", "postcodes"] as const;
const sums = ["min_total", "max_total"] as const;
const counts = ["min_weight_g", "max_weight_g", "days"] as const;

export type Rate = Record<keyof RateInput, string>;
export type Point = Record<keyof Schemas["ShopDeliveryPoint"], string>;
export const blankRate: Rate = { countries: "", regions: "", postcodes: "", min_total: "", max_total: "", min_weight_g: "", max_weight_g: "", price: "", days: "" };
export const blankPoint: Point = { id: "", name: "", address: "", hours: "" };

export interface Fields extends Record<string, unknown> {
  name: string;
  description: string;
  kind: string;
  price: string;
  free_from: string;
  rates: Rate[];
  points: Point[];
  is_active: boolean;
  needs_address: boolean;
}
export type Field = Exclude<keyof Input, "sort_order">; // the list sets the order

export const empty: Fields = { name: "", description: "", kind: "delivery", price: "0", free_from: "", rates: [], points: [], is_active: true, needs_address: true };

export function fieldsOf(d: Delivery, digits: number): Fields {
  const { name, description, kind, points, is_active, needs_address } = d;
  const money = (n: number | null) => (n === null ? "" : typedMoney(n, digits));
  const number = (n: number | null) => (n === null ? "" : String(n));
  return {
    name, description, kind, points, is_active, needs_address,
    price: money(d.price),
    free_from: money(d.free_from),
    rates: d.rates.map((r) => ({
      countries: r.countries.join(", "), regions: r.regions.join(", "), postcodes: r.postcodes.join(", "),
      min_total: money(r.min_total), max_total: money(r.max_total), price: money(r.price),
      min_weight_g: number(r.min_weight_g), max_weight_g: number(r.max_weight_g), days: number(r.days),
    })),
  };
}

// bodyOf writes the named fields. A fault is a cell that is no number; everything else the API
// judges.
export function bodyOf(values: Fields, names: Field[], digits: number, says: { notANumber: string; notAbove: string }): { body: Input; faults: Fault[] } {
  const faults: Fault[] = [];
  function read(typed: string, place: string, parse: (text: string) => number | undefined): number | null {
    if (typed.trim() === "") return null;
    const n = parse(typed.trim());
    if (n === undefined) faults.push({ code: "DELIVERY_INVALID", place, detail: says.notANumber });
    return n ?? null;
  }
  const money = (text: string) => parseMoney(text, digits);
  const whole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

  const rateOf = (r: Rate, i: number): RateInput => {
    const at = (key: keyof Rate) => `rates[${i}].${key}`;
    const price = read(r.price, at("price"), money);
    if (r.price.trim() === "") faults.push({ code: "DELIVERY_INVALID", place: at("price"), detail: says.notANumber });
    const bounds = Object.fromEntries([...sums.map((key) => [key, read(r[key], at(key), money)]), ...counts.map((key) => [key, read(r[key], at(key), whole)])]) as Record<(typeof sums)[number] | (typeof counts)[number], number | null>;
    for (const what of ["total", "weight_g"] as const) {
      const [from, below] = [bounds[`min_${what}`], bounds[`max_${what}`]];
      if (from !== null && below !== null && below <= from) faults.push({ code: "DELIVERY_INVALID", place: at(`max_${what}`), detail: says.notAbove });
    }
    return {
      ...bounds,
      ...Object.fromEntries(lists.map((key) => [key, r[key].split(/[,;]/).map((part) => part.trim()).filter(Boolean)])),
      price: price ?? 0,
    };
  };

  // Each field of the call has a writer: one that the API gets later does not compile without.
  const writers: { [K in Field]-?: () => Input[K] } = {
    name: () => values.name,
    description: () => values.description,
    kind: () => values.kind as Input["kind"],
    price: () => read(values.price, "price", money) ?? 0,
    free_from: () => read(values.free_from, "free_from", money),
    rates: () => values.rates.map(rateOf),
    points: () => (values.kind === "pickup" ? values.points : []), // only those have points
    is_active: () => values.is_active,
    needs_address: () => values.needs_address,
  };
  const sent = names.includes("kind") ? new Set<Field>([...names, "points"]) : names;
  return { body: Object.fromEntries([...sent].map((name) => [name, writers[name]()])), faults };
}

// fieldAt names the field, or the cell of a table: "rates[2].price".
export function fieldAt(place: string): string | undefined {
  return place in empty || /^(rates|points)\[\d+\]/.test(place) ? place : undefined;
}
