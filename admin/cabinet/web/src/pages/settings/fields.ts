// The fields of the shop's settings: where each is in the body of the call, on which page it is
// edited, and how settings become fields and the other way round.
import { Refusal, type Body, type Fault, type Schemas } from "../../api/client";

export type Settings = Schemas["SettingSettingsView"];
export type Input = Omit<Body<"put", "/v1/shop/settings">, "expected_updated_at">;

export interface TaxRow extends Record<string, string> {
  country: string;
  region: string;
  class: string;
  name: string;
  percent: string;
}

export function fieldsOf(s: Settings) {
  const { tax, look, contacts, legal, notes, seo, letters } = s;
  const reminder = s.cart_reminder;
  return {
    name: s.name,
    logo: one(s.logo_id),
    favicon: one(s.favicon_id),
    language: s.language as string,
    timezone: s.timezone,
    phone: contacts.phone,
    email: contacts.email,
    address: contacts.address,
    hours: contacts.hours,
    socials: s.socials.join("\n"),
    legal_name: legal.name,
    legal_details: legal.details,
    seo_title: seo.title,
    seo_description: seo.description,
    seo_image: one(seo.og_image_id),
    seo_noindex: seo.noindex,
    second_factor: s.members_need_second_factor as string[],
    accent: look.accent,
    radius: look.radius === null ? "" : String(look.radius),
    text_font: look.text_font as string,
    heading_font: look.heading_font as string,
    color_scheme: (look.color_scheme || "auto") as string,
    comments: s.comments,
    questions: s.questions,
    notes_delivery: notes.delivery,
    notes_returns: notes.returns,
    client_prices: s.client_prices,
    cancel_unpaid: count(s.cancel_unpaid_after_hours),
    cancel_manual: s.cancel_unpaid_manual,
    buyer_cancel: count(s.buyer_cancel_minutes),
    invoice_prefix: s.invoice_prefix,
    letters_from: letters.from_name,
    letters_reply: letters.reply_to,
    reminder_hours: count(reminder?.after_hours ?? 0),
    reminder_campaign: reminder?.promotion_id ?? "",
    reminder_consent: reminder?.ask_consent ?? false,
    sandbox: s.sandbox,
    assistants: s.assistants as string,
    tax_kind: (!tax ? "none" : tax.rates ? "table" : "one") as string,
    tax_name: tax?.name ?? "",
    tax_percent: tax?.percent === undefined ? "" : String(tax.percent),
    tax_included: tax?.included ?? true,
    tax_country: tax?.default_country ?? "",
    tax_exempt: tax?.exempt_eu_business ?? false,
    tax_rates: (tax?.rates ?? []).map(taxRow),
  };
}

export type Fields = ReturnType<typeof fieldsOf>;
export type Field = keyof Fields;

const one = (id: string | null) => (id ? [id] : []);
const count = (n: number) => (n === 0 ? "" : String(n));
export const taxRow = (r: Schemas["ShopTaxRule"]): TaxRow => ({ country: r.country, region: r.region, class: r.class, name: r.name, percent: String(r.percent) });

type Place = (keyof Input & string) | `${keyof Input & string}.${string}`;

const places = {
  name: "name",
  logo: "logo_id",
  favicon: "favicon_id",
  language: "language",
  timezone: "timezone",
  phone: "contacts.phone",
  email: "contacts.email",
  address: "contacts.address",
  hours: "contacts.hours",
  socials: "socials",
  legal_name: "legal.name",
  legal_details: "legal.details",
  seo_title: "seo.title",
  seo_description: "seo.description",
  seo_image: "seo.og_image_id",
  seo_noindex: "seo.noindex",
  second_factor: "members_need_second_factor",
  accent: "look.accent",
  radius: "look.radius",
  text_font: "look.text_font",
  heading_font: "look.heading_font",
  color_scheme: "look.color_scheme",
  comments: "comments",
  questions: "questions",
  notes_delivery: "notes.delivery",
  notes_returns: "notes.returns",
  client_prices: "client_prices",
  cancel_unpaid: "cancel_unpaid_after_hours",
  cancel_manual: "cancel_unpaid_manual",
  buyer_cancel: "buyer_cancel_minutes",
  invoice_prefix: "invoice_prefix",
  letters_from: "letters.from_name",
  letters_reply: "letters.reply_to",
  reminder_hours: "cart_reminder.after_hours",
  reminder_campaign: "cart_reminder.promotion_id",
  reminder_consent: "cart_reminder.ask_consent",
  sandbox: "sandbox",
  assistants: "assistants",
  tax_kind: "tax",
  tax_name: "tax.name",
  tax_percent: "tax.percent",
  tax_included: "tax.included",
  tax_country: "tax.default_country",
  tax_exempt: "tax.exempt_eu_business",
  tax_rates: "tax.rates",
} as const satisfies Record<Field, Place>;

// pages name the fields of each page.
export const pages = {
  shop: ["name", "logo", "favicon", "language", "timezone", "phone", "email", "address", "hours", "socials", "legal_name", "legal_details", "seo_title", "seo_description", "seo_image", "seo_noindex", "second_factor"],
  look: ["accent", "radius", "text_font", "heading_font", "color_scheme"],
  orders: ["client_prices", "buyer_cancel", "cancel_unpaid", "cancel_manual", "invoice_prefix", "sandbox", "assistants", "letters_from", "letters_reply", "reminder_hours", "reminder_campaign", "reminder_consent", "comments", "questions", "notes_delivery", "notes_returns"],
  tax: ["tax_kind", "tax_name", "tax_percent", "tax_included", "tax_country", "tax_exempt", "tax_rates"],
} as const satisfies Record<string, readonly Field[]>;
export type Page = keyof typeof pages;

// Every field is on a page.
type Homeless = Exclude<Field, (typeof pages)[Page][number]>;
true satisfies [Homeless] extends [never] ? true : Homeless;

// Whole is a setting with all of its fields: those that are not sent are cleared.
type Whole<T> = T extends readonly unknown[] | string | number | boolean | null | undefined ? T : { [K in keyof Required<T>]: T[K] };
type Numbers = (field: Field, text?: string, place?: string) => number;

// writers write each setting of the call: one that the API gets later does not compile until it has
// a writer too.
const writers: { [K in keyof Required<Input>]: (v: Fields, whole: Numbers, percent: Numbers) => K extends "tax" ? Input["tax"] : Whole<Input[K]> } = {
  name: (v) => v.name,
  logo_id: (v) => v.logo[0] ?? null,
  favicon_id: (v) => v.favicon[0] ?? null,
  language: (v) => v.language as Input["language"],
  timezone: (v) => v.timezone,
  contacts: ({ phone, email, address, hours }) => ({ phone, email, address, hours }),
  socials: (v) => v.socials.split("\n").map((line) => line.trim()).filter(Boolean),
  legal: (v) => ({ name: v.legal_name, details: v.legal_details }),
  seo: (v) => ({ title: v.seo_title, description: v.seo_description, og_image_id: v.seo_image[0] ?? null, noindex: v.seo_noindex }),
  members_need_second_factor: (v) => v.second_factor as Input["members_need_second_factor"],
  look: ({ accent, radius, text_font, heading_font, color_scheme }, whole) => ({ accent: accent.trim(), radius: radius.trim() === "" ? null : whole("radius"), text_font, heading_font, color_scheme }) as Whole<Input["look"]>,
  comments: (v) => v.comments,
  questions: (v) => v.questions,
  notes: (v) => ({ delivery: v.notes_delivery, returns: v.notes_returns }),
  client_prices: (v) => v.client_prices,
  cancel_unpaid_after_hours: (_, whole) => whole("cancel_unpaid"),
  cancel_unpaid_manual: (v) => v.cancel_manual,
  buyer_cancel_minutes: (_, whole) => whole("buyer_cancel"),
  invoice_prefix: (v) => v.invoice_prefix,
  letters: (v) => ({ from_name: v.letters_from, reply_to: v.letters_reply }),
  cart_reminder: (v, whole) => (v.reminder_hours.trim() === "" ? null : { after_hours: whole("reminder_hours"), promotion_id: v.reminder_campaign || null, ask_consent: v.reminder_consent }),
  sandbox: (v) => v.sandbox,
  assistants: (v) => v.assistants as Input["assistants"],
  tax: (v, _, percent) => {
    if (v.tax_kind === "none") return null;
    if (v.tax_kind === "one") return { name: v.tax_name, percent: percent("tax_percent"), included: true };
    const rates = v.tax_rates.map(({ percent: typed, ...rate }, i) => ({ ...rate, percent: percent("tax_rates", typed, `tax.rates[${i}].percent`) }) as Schemas["ShopTaxRuleInput"]);
    return { included: v.tax_included, default_country: v.tax_country, exempt_eu_business: v.tax_exempt, rates };
  },
};

// bodyOf writes the changed fields. A setting is replaced as a whole, with its other fields as they
// are in from. A fault is a field that is no number; everything else the API judges.
export function bodyOf(values: Fields, changed: Field[], from: Settings, notANumber: string): { body: Input; faults: Fault[] } {
  const faults: Fault[] = [];
  const v = { ...fieldsOf(from), ...Object.fromEntries(changed.map((n) => [n, values[n]])) };
  const read =
    (form: RegExp): Numbers =>
    (field, text = String(v[field]), place = places[field]) => {
      const typed = text.trim().replace(",", ".");
      if (typed !== "" && !form.test(typed)) faults.push({ code: "SETTINGS_INVALID", place, detail: notANumber });
      return Number(typed) || 0;
    };
  const keys = new Set(changed.map((n) => places[n].split(".")[0] as keyof Input));
  const body = Object.fromEntries([...keys].map((key) => [key, writers[key](v, read(/^\d{1,9}$/), read(/^\d{1,3}(\.\d{1,3})?$/))]));
  return { body, faults };
}

export function refuse(faults: Fault[]): void {
  if (faults[0]) throw new Refusal(400, faults[0].code, faults[0].detail, faults);
}

// fieldAt names the field for a place in the body, or the cell of a table: "tax.rates[3].percent".
export function fieldAt(place: string): string | undefined {
  if (place.startsWith("tax.rates[")) return place;
  const field = (Object.keys(places) as Field[]).find((n) => places[n] === place.split("[")[0]);
  return field ?? (Object.keys(places) as Field[]).find((n) => places[n].startsWith(place + "."));
}
