// A promotion as a sentence: "Discount in the price: 10% off Tea for orders of €50 or more".
import { parseMoney, formatMoney } from "../../parts/money";
import { moment } from "../../parts/dates";
import type { Passport } from "../../frame/session";
import { sayIn, type Language } from "../../words";
import { words } from "../../words/promotions";
import { percentOf, type Field, type Fields } from "./fields";
import type { Kind } from "./search";

// Parts are those of the sentence, in its order, with the fields that each says.
export const parts = {
  kind: ["kind"],
  value: ["unit", "off", "gift", "gift_variant", "gift_quantity", "gift_per"],
  code: ["code"],
  goods: ["product_ids", "category_ids"],
  without: ["exclude_product_ids"],
  least: ["min_total", "min_quantity"],
  buyers: ["first_order", "customer_group_ids"],
  time: ["starts_at", "ends_at"],
  limits: ["limit_total", "limit_per_buyer", "limit_budget"],
  issue: ["issue", "issue_min_total", "issue_days", "issue_prefix"],
  order: ["stacking", "priority"],
} satisfies Record<string, Field[]>;

export type Part = keyof typeof parts;

type Said = (typeof parts)[Part][number];
type Unsaid = Exclude<Field, Said | "name" | "active">;
true satisfies [Unsaid] extends [never] ? true : Unsaid;

const only: Partial<Record<Part, Kind>> = { code: "coupon", issue: "personal_coupon" };

// partsOf lists the parts that a kind of promotion has.
export const partsOf = (kind: Kind): Part[] => (Object.keys(parts) as Part[]).filter((p) => !only[p] || only[p] === kind);

// needed are the parts without which there is no promotion.
export const needed = (part: Part) => part === "kind" || part === "value" || part === "code" || part === "goods";

// Names are what the things are called that a promotion refers to; undefined: it is deleted.
export interface Names {
  product: (id: number) => string | undefined;
  section: (id: string) => string | undefined;
  group: (id: string) => string | undefined;
}

export function dayText(typed: string, zone: string, language: Language): string {
  const at = moment(typed, zone);
  if (!at) return typed;
  const day = new Date(at);
  const weekday = day.toLocaleDateString(language, { timeZone: zone, weekday: "short" });
  return `${day.toLocaleString(language, { timeZone: zone, dateStyle: "long", timeStyle: "short" })} (${weekday})`;
}

// clauses are the parts of the sentence that say something.
export function clauses(v: Fields, names: Names, { currency, price_digits: digits, timezone }: Passport["store"], language: Language): { part: Part; text: string }[] {
  const say = sayIn(language, words);
  const money = (typed: string) => {
    const amount = parseMoney(typed, digits);
    return amount === undefined ? typed : formatMoney(amount, currency, digits, language);
  };
  const quoted = (name: string) => (language === "ru" ? `«${name}»` : name);
  const listed = (found: (string | undefined)[]) => {
    const shown = found.slice(0, 3).map((name) => quoted(name ?? say("deletedThing")));
    if (found.length > 3) shown.push(say("andMore", { n: found.length - 3 }));
    return new Intl.ListFormat(language).format(shown);
  };
  const number = (list: unknown[]) => (list.length === 1 ? 1 : 5); // one, or many
  const products = { names: listed(v.product_ids.map(names.product)), n: number(v.product_ids) };
  const sections = { names: listed(v.category_ids.map(names.section)), n: number(v.category_ids) };
  const narrowed = v.product_ids.length > 0 || v.category_ids.length > 0;
  const percent = (typed: string) => {
    const n = percentOf(typed);
    return n === undefined ? `${typed} %` : new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format(n / 100);
  };

  function goods(): string {
    const how = v.kind === "gift" ? "gift" : "off";
    if (v.product_ids.length > 0 && v.category_ids.length > 0) return `${say(`${how}Products`, products)} ${say("ofSections", sections)}`;
    if (v.product_ids.length > 0) return say(`${how}Products`, products);
    if (v.category_ids.length > 0) return say(`${how}Sections`, sections);
    return say(v.kind === "gift" ? "giftAny" : v.kind === "discount" ? "offAll" : "offOrder");
  }

  function value(): string {
    if (v.kind !== "gift") return v.off.trim() && say("off", { off: v.unit === "percent" ? percent(v.off) : money(v.off) });
    if (!v.gift) return "";
    const name = quoted(names.product(v.gift) ?? say("deletedThing"));
    const units = v.gift_quantity === "1" ? name : `${v.gift_quantity} × ${name}`;
    return v.gift_per ? `${units} ${say("forEvery", { n: v.gift_per })}` : units;
  }

  const some = (...texts: (string | false)[]) => texts.filter(Boolean).join(", ");
  const said: Record<Part, string> = {
    kind: say(`kind_${v.kind}`) + ":",
    value: value(),
    code: v.code.trim() && say("withCode", { code: v.code.trim().toUpperCase() }),
    goods: goods(),
    without: v.exclude_product_ids.length > 0 ? say("except", { names: listed(v.exclude_product_ids.map(names.product)) }) : "",
    least: some(
      v.min_total.trim() && say(narrowed ? (v.kind === "gift" ? "giftFromSum" : "fromSumOfThem") : v.kind === "discount" || v.kind === "gift" ? "fromSum" : "fromSumOfOrder", { sum: money(v.min_total) }),
      v.min_quantity.trim() && say("fromUnits", { n: v.min_quantity }),
    ),
    buyers: some(v.first_order && say("onFirstOrder"), v.customer_group_ids.length > 0 && say("forGroups", { names: listed(v.customer_group_ids.map(names.group)), n: number(v.customer_group_ids) })),
    time: [v.starts_at && say("fromTime", { time: dayText(v.starts_at, timezone, language) }), v.ends_at && say("untilTime", { time: dayText(v.ends_at, timezone, language) })].filter(Boolean).join(" "),
    limits: some(
      v.limit_total.trim() && say("atMostTimes", { n: v.limit_total }),
      v.limit_per_buyer.trim() && say("atMostPerBuyer", { n: v.limit_per_buyer }),
      v.limit_budget.trim() && say("upToBudget", { sum: money(v.limit_budget) }),
    ),
    issue: some(
      [say(v.issue ? "issuedByOrders" : "issuedByHand"), v.issue && v.issue_min_total.trim() && say("issuedFrom", { sum: money(v.issue_min_total) })].filter(Boolean).join(" "),
      v.issue_days.trim() && say("validDays", { n: v.issue_days }),
      v.issue_prefix.trim() && say("withPrefix", { prefix: v.issue_prefix.trim().toUpperCase() }),
    ),
    order: some(v.stacking === "exclusive" && say("alone"), v.priority.trim() !== "100" && say("withPriority", { n: v.priority })),
  };
  return partsOf(v.kind).flatMap((part) => (said[part] ? [{ part, text: said[part] }] : []));
}

const apart: Part[] = ["buyers", "limits", "issue", "order"]; // after a comma

// sentence joins the parts; "…" stands for one that is still missing.
export function sentence(list: { part: Part; text: string }[]): string {
  const said = new Map(list.map((c) => [c.part, c.text]));
  const texts = (Object.keys(parts) as Part[]).flatMap((part) => {
    const text = said.get(part) ?? (part === "value" ? "…" : "");
    return text ? [(apart.includes(part) ? ", " : " ") + text] : [];
  });
  return texts.join("").trim() + ".";
}
