// The fields of a promotion: what they are called in the API, and how a promotion becomes them.
import type { Schemas } from "../../api/client";
import type { Passport } from "../../frame/session";
import { moment, wallTime } from "../../parts/dates";
import { parseMoney, typedMoney } from "../../parts/money";
import type { Say, WordOf } from "../../words";
import type { words } from "../../words/promotions";
import type { Item, Promotion } from "./data";
import type { Kind } from "./search";

export type Words = WordOf<typeof words>;
type Store = Passport["store"];

const blank = {
  name: "",
  active: true,
  kind: "discount" as Kind,
  unit: "percent" as "percent" | "amount",
  off: "",
  gift: null as number | null,
  gift_variant: "",
  gift_quantity: "1",
  gift_per: "",
  code: "",
  product_ids: [] as number[],
  category_ids: [] as string[],
  exclude_product_ids: [] as number[],
  min_total: "",
  min_quantity: "",
  first_order: false,
  customer_group_ids: [] as string[],
  starts_at: "", // as the shop's clock shows it
  ends_at: "",
  limit_total: "",
  limit_per_buyer: "",
  limit_budget: "",
  issue: false, // codes are issued with completed orders
  issue_min_total: "",
  issue_days: "",
  issue_prefix: "",
  stacking: "stack" as Promotion["stacking"],
  priority: "100",
};

export type Fields = typeof blank;
export type Field = keyof Fields;
export type Faults = Partial<Record<Field, string>>;
export const empty: Fields = blank;

// written names where the form writes each field of the call, so that a field that the API gets
// later does not compile until the form has it too. So do the fields of conditions, value, limits
// and issue, which itemOf always writes whole.
const written = {
  name: ["name"],
  active: ["active"],
  kind: ["kind"],
  starts_at: ["starts_at"],
  ends_at: ["ends_at"],
  priority: ["priority"],
  stacking: ["stacking"],
  code: ["code", "kind"],
  value: ["unit", "off", "gift", "gift_variant", "gift_quantity", "gift_per", "kind"],
  conditions: ["product_ids", "category_ids", "exclude_product_ids", "min_total", "min_quantity", "first_order", "customer_group_ids"],
  limits: ["limit_total", "limit_per_buyer", "limit_budget"],
  issue: ["issue", "issue_min_total", "issue_days", "issue_prefix", "kind"],
} satisfies Record<keyof Item, Field[]>;

type Unwritten = Exclude<Field, (typeof written)[keyof Item][number]>;
true satisfies [Unwritten] extends [never] ? true : Unwritten;

const text = (n: number | null | undefined) => (n ? String(n) : "");

export function fieldsOf(p: Promotion, { price_digits: digits, timezone }: Store): Fields {
  const money = (n: number | null | undefined) => (n ? typedMoney(n, digits) : "");
  const { value: v, conditions: c, limits: l, issue: i } = p;
  return {
    name: p.name,
    active: p.active,
    kind: p.kind,
    unit: v.amount ? "amount" : "percent",
    off: v.amount ? money(v.amount) : text(v.percent),
    gift: v.product_id,
    gift_variant: v.variant_id === "0" ? "" : v.variant_id,
    gift_quantity: String(v.quantity ?? 1),
    gift_per: text(v.per_quantity),
    code: p.code,
    product_ids: c.product_ids,
    category_ids: c.category_ids.map(String),
    exclude_product_ids: c.exclude_product_ids,
    min_total: money(c.min_total),
    min_quantity: text(c.min_quantity),
    first_order: c.first_order,
    customer_group_ids: c.customer_group_ids,
    starts_at: wallTime(p.starts_at, timezone),
    ends_at: wallTime(p.ends_at, timezone),
    limit_total: text(l.total),
    limit_per_buyer: text(l.per_buyer),
    limit_budget: money(l.budget),
    issue: i?.on === "order_completed",
    issue_min_total: money(i?.min_total),
    issue_days: text(i?.days),
    issue_prefix: i?.prefix ?? "",
    stacking: p.stacking,
    priority: String(p.priority),
  };
}

const wholeNumber = (t: string, max: number) => (/^\d{1,9}$/.test(t.trim()) && Number(t) <= max ? Number(t) : undefined);

export function percentOf(t: string): number | undefined {
  const typed = t.trim().replace(",", ".");
  const n = /^\d{1,3}(\.\d{1,2})?$/.test(typed) ? Number(typed) : 0;
  return n > 0 && n <= 100 ? n : undefined;
}

// itemOf writes fields as the item of the call: those that changed, or all of a new promotion.
// What cannot be sent as it was typed is among the faults.
export function itemOf(values: Fields, changed: Field[] | "all", { price_digits: digits, timezone }: Store, say: Say<Words>): { item: Item; faults: Faults } {
  const faults: Faults = {};
  const has = (part: keyof Item) => changed === "all" || written[part].some((f) => changed.includes(f));
  const checked = <T,>(field: Field, word: Words, read: T | undefined, value?: Record<string, number>): T | null => {
    if (read === undefined) faults[field] = say(word, value);
    return read ?? null;
  };
  const count = (field: "gift_quantity" | "gift_per" | "min_quantity" | "limit_total" | "limit_per_buyer" | "issue_days" | "priority", max: number, least = 1) => {
    const n = wholeNumber(values[field], max);
    return checked(field, "notCount", n === undefined || n < least ? undefined : n, { least, max });
  };
  const sum = (field: "off" | "min_total" | "limit_budget" | "issue_min_total") => checked(field, "notSum", parseMoney(values[field], digits) || undefined);
  const optional = <F extends Field>(field: F, read: (field: F) => number | null) => (String(values[field]).trim() === "" ? null : read(field));

  const item: Item = {};
  if (has("name")) {
    item.name = values.name.trim();
    if (!item.name) faults.name = say("nameNeeded");
  }
  if (has("active")) item.active = values.active;
  if (has("kind")) item.kind = values.kind;
  if (has("stacking")) item.stacking = values.stacking;
  if (has("priority")) item.priority = count("priority", 1_000_000, 0);
  if (has("starts_at")) item.starts_at = moment(values.starts_at, timezone);
  if (has("ends_at")) item.ends_at = moment(values.ends_at, timezone);
  // Stored moments have seconds, which the fields do not show.
  if ((has("starts_at") || has("ends_at")) && values.starts_at && values.ends_at && values.ends_at <= values.starts_at) faults.ends_at = say("endsBeforeStart");
  if (has("code")) {
    item.code = values.kind === "coupon" ? values.code.trim().toUpperCase() : "";
    if (values.kind === "coupon" && !/^[A-Z0-9_-]{3,32}$/.test(item.code)) faults.code = say("notCode");
  }
  if (has("value")) {
    const none = { percent: null, amount: null, product_id: null, variant_id: 0, quantity: null, per_quantity: null };
    const gift = values.kind === "gift";
    item.value = {
      ...(none satisfies Required<Schemas["PromotionValueInput"]>),
      ...(gift && {
        product_id: checked("gift", "giftNeeded", values.gift ?? undefined),
        variant_id: values.gift_variant || 0,
        quantity: count("gift_quantity", 9999),
        per_quantity: optional("gift_per", (f) => count(f, 9999)),
      }),
      ...(!gift && (values.unit === "percent" ? { percent: checked("off", "notPercent", percentOf(values.off)) } : { amount: sum("off") })),
    };
  }
  if (has("conditions"))
    item.conditions = {
      min_total: optional("min_total", sum) ?? 0,
      min_quantity: optional("min_quantity", (f) => count(f, 999_900)) ?? 0,
      product_ids: values.product_ids,
      category_ids: values.category_ids,
      exclude_product_ids: values.exclude_product_ids,
      customer_group_ids: values.customer_group_ids,
      first_order: values.first_order,
    } satisfies Required<Schemas["PromotionConditionsInput"]>;
  if (has("limits"))
    item.limits = {
      total: optional("limit_total", (f) => count(f, 999_999_999)),
      per_buyer: optional("limit_per_buyer", (f) => count(f, 999_999_999)),
      budget: optional("limit_budget", sum),
    } satisfies Required<Schemas["PromotionLimitsInput"]>;
  if (has("issue")) {
    const prefix = values.issue_prefix.trim().toUpperCase();
    if (!/^[A-Z0-9_-]{0,16}$/.test(prefix)) faults.issue_prefix = say("notPrefix");
    item.issue =
      values.kind === "personal_coupon"
        ? ({
            on: values.issue ? "order_completed" : "",
            min_total: optional("issue_min_total", sum) ?? 0,
            days: optional("issue_days", (f) => count(f, 3650)) ?? 0,
            prefix,
          } satisfies Required<Schemas["PromotionIssueInput"]>)
        : null;
  }
  return { item, faults };
}

// fieldAt names the field of the form for a place in the body: "item.value". The API refuses some
// parts as a whole.
export function fieldAt(place: string): Field | undefined {
  const parts = place.split(/[.[\]]/).filter(Boolean).reverse();
  const found = parts.find((part) => part in empty && part !== "issue");
  if (found) return found as Field;
  const part = parts.find((p) => p in written) as keyof Item | undefined;
  return part && { value: "off" as const, conditions: "product_ids" as const, limits: "limit_total" as const, issue: "issue_prefix" as const }[part as "value"];
}
