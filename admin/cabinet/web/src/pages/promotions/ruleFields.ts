// The fields of a quantity price: what they are called in the API, and how a rule becomes them.
import type { Schemas } from "../../api/client";
import type { Passport } from "../../frame/session";
import { formatMoney, parseMoney, typedMoney } from "../../parts/money";
import type { Language, Say, WordOf } from "../../words";
import type { words } from "../../words/prices";
import type { Rule, RuleItem } from "./data";
import { percentOf } from "./fields";

type Store = Passport["store"];
type Words = WordOf<typeof words>;

export interface Tier {
  from: string;
  unit: "percent" | "price";
  value: string;
}

const blank = {
  name: "",
  active: true,
  category_ids: [] as string[],
  product_ids: [] as number[],
  count: "line" as Rule["count"],
  tiers: [{ from: "", unit: "percent", value: "" }] as Tier[],
};

export type RuleFields = typeof blank;
export const emptyRule: RuleFields = blank;

// A field that the API gets later does not compile until the form has it too.
true satisfies [Exclude<keyof RuleItem, keyof RuleFields>] extends [never] ? true : Exclude<keyof RuleItem, keyof RuleFields>;

export function ruleFieldsOf(r: Rule, { price_digits }: Store): RuleFields {
  const tiers = r.tiers.map(({ from, percent, price }): Tier =>
    price === null ? { from: String(from), unit: "percent", value: String(percent) } : { from: String(from), unit: "price", value: typedMoney(price, price_digits) },
  );
  return { name: r.name, active: r.active, category_ids: r.category_ids.map(String), product_ids: r.product_ids, count: r.count, tiers };
}

// RuleFaults say beside each step what is wrong with it.
export type RuleFaults = Partial<Record<keyof RuleFields | `tiers[${number}].${"from" | "value"}`, string>>;

// ruleItemOf writes fields as the item of the call. What cannot be sent is among the faults.
export function ruleItemOf(v: RuleFields, changed: (keyof RuleFields)[] | "all", { price_digits }: Store, say: Say<Words>): { item: RuleItem; faults: RuleFaults } {
  const faults: RuleFaults = {};
  const has = (name: keyof RuleFields) => changed === "all" || changed.includes(name);
  const item: RuleItem = {};
  if (has("name")) {
    item.name = v.name.trim();
    if (!item.name) faults.name = say("nameNeeded");
  }
  if (has("active")) item.active = v.active;
  if (has("count")) item.count = v.count;
  if (has("product_ids")) item.product_ids = v.product_ids;
  if (has("category_ids")) item.category_ids = v.category_ids;
  if (v.product_ids.length + v.category_ids.length === 0) faults.category_ids = say("goodsNeeded");
  if (has("tiers")) {
    let last = 1;
    item.tiers = v.tiers.map((t, i) => {
      const from = /^\d{1,4}$/.test(t.from.trim()) ? Number(t.from) : 0;
      if (from <= last) faults[`tiers[${i}].from`] = say("notAscending");
      last = Math.max(last, from);
      const read = t.unit === "percent" ? percentOf(t.value) : parseMoney(t.value, price_digits);
      if (read === undefined) faults[`tiers[${i}].value`] = say(t.unit === "percent" ? "notPercent" : "notPrice");
      return { from, percent: null, price: null, [t.unit]: read ?? null } satisfies Required<Schemas["PromotionTierInput"]>;
    });
    if (v.tiers.length === 0) faults.tiers = say("tierNeeded");
  }
  return { item, faults };
}

const tierPart = /tiers\[(\d+)\]\.(from|percent|price)/;

// ruleFieldAt names the field of the form for a place in the body: "item.tiers[0].from".
export function ruleFieldAt(place: string): string | undefined {
  const tier = tierPart.exec(place);
  if (tier) return `tiers[${tier[1]}].${tier[2] === "from" ? "from" : "value"}`;
  if (place.startsWith("tiers[")) return place;
  return place.split(".").find((part) => part in emptyRule);
}

export function tierText(t: Rule["tiers"][number], { currency, price_digits }: Store, language: Language, say: Say<Words>): string {
  if (t.price !== null) return say("tierAt", { n: t.from, price: formatMoney(t.price, currency, price_digits, language) });
  return say("tierOff", { n: t.from, off: new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format((t.percent ?? 0) / 100) });
}
