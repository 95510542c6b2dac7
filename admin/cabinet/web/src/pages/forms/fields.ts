// The fields of a form as they are typed, and how they become those of the API.
import type { Schemas } from "../../api/client";
import { codeOf } from "../../parts/codes";
import type { FormView } from "./data";

type Stored = FormView["fields"][number];
export type Kind = Stored["type"];
export const kinds: Kind[] = ["text", "textarea", "email", "phone", "number", "date", "select", "radio", "checkbox", "consent", "file", "hidden"];
export const mostFields = 50;

// has says what fields of a kind have besides a question and a hint.
export const has = (kind: Kind) => ({
  length: ["text", "textarea", "email", "phone"].includes(kind),
  limits: kind === "number" || kind === "date",
  options: kind === "select" || kind === "radio",
  example: ["text", "textarea", "email", "phone", "number"].includes(kind),
  size: kind === "file",
  link: kind === "consent",
});

export interface Field {
  key: string; // of the row on this page
  name: string;
  label: string;
  type: Kind;
  required: boolean;
  options: string; // one a line
  placeholder: string;
  help: string;
  url: string;
  min_length: string;
  max_length: string;
  pattern: string;
  min: string;
  max: string;
  max_size: string; // MB
}

export interface Values extends Record<string, unknown> {
  name: string;
  fields: Field[];
  submit_text: string;
  action: FormView["success"]["action"];
  success_text: string;
  success_url: string;
}

export const empty: Values = { name: "", fields: [], submit_text: "", action: "text", success_text: "", success_url: "" };

const MB = 1 << 20;
const typed = (n: number | string | undefined) => (n ? String(n) : "");

export function valuesOf(f: FormView): Values {
  const fields = f.fields.map(
    ({ rules: r, placeholder = "", help = "", url = "", ...x }, i): Field => ({
      ...x,
      key: `stored-${i}`,
      options: x.options.join("\n"),
      placeholder,
      help,
      url,
      min_length: typed(r.min_length),
      max_length: typed(r.max_length),
      pattern: r.pattern ?? "",
      min: r.min === undefined ? "" : String(r.min),
      max: r.max === undefined ? "" : String(r.max),
      max_size: r.max_size ? String(r.max_size / MB) : "",
    }),
  );
  return { name: f.name, fields, submit_text: f.submit_text, action: f.success.action, success_text: f.success.text, success_url: f.success.url };
}

// fieldOf is a field as the API takes it: with what its kind has.
function fieldOf(f: Field): Schemas["SiteFormFieldInput"] {
  const h = has(f.type);
  const rules = {
    ...(h.length && f.min_length && { min_length: Number(f.min_length) }),
    ...(h.length && f.max_length && { max_length: Number(f.max_length) }),
    ...(h.length && f.pattern && { pattern: f.pattern }),
    ...(h.limits && f.min && { min: f.min }),
    ...(h.limits && f.max && { max: f.max }),
    ...(h.size && f.max_size && { max_size: Math.round(Number(f.max_size.replace(",", ".")) * MB) }),
  };
  return {
    name: f.name,
    label: f.label,
    type: f.type,
    required: f.required && f.type !== "hidden",
    options: h.options ? optionsOf(f) : [],
    rules,
    ...(h.example && f.placeholder && { placeholder: f.placeholder }),
    ...(f.help && { help: f.help }),
    ...(h.link && f.url && { url: f.url }),
  };
}

export const optionsOf = (f: Field) => f.options.split("\n").map((o) => o.trim()).filter(Boolean);

export function itemOf(v: Values): Schemas["SiteFormItemInput"] {
  return {
    name: v.name,
    fields: v.fields.map(fieldOf),
    submit_text: v.submit_text,
    success: { action: v.action, text: v.action === "text" ? v.success_text : "", url: v.action === "text" ? "" : v.success_url },
  };
}

// fieldAt names what a place of the request is of.
export function fieldAt(place: string): string | undefined {
  const name = place.replace(/^item\./, "").replace(/^success\.(text|url)$/, "success_$1").replace("success.", "");
  return Object.keys(empty).find((n) => n === name.split(/[.[]/)[0]);
}

// rowFaultAt names the input of a row that a place of the request is of.
export function rowFaultAt(place: string, fields: Field[]): string | undefined {
  const row = /fields\[(\d+)\](?:\.(?:rules\.?)?(\w*))?/.exec(place);
  const key = row && fields[Number(row[1])]?.key;
  return key ? `${key}.${row[2] || "name"}` : undefined;
}

// added is a new field of a kind, with a key that no other one has.
export function added(kind: Kind, others: Field[]): Field {
  const blank = { label: "", required: kind === "consent", options: "", placeholder: "", help: "", url: "", min_length: "", max_length: "", pattern: "", min: "", max: "", max_size: "" };
  return { ...blank, key: codeOf("new", keysOf(others), "new"), name: codeOf(kind, namesOf(others), kind), type: kind };
}

const namesOf = (fields: Field[]) => new Set(fields.map((f) => f.name));
const keysOf = (fields: Field[]) => new Set(fields.map((f) => f.key));

// asking is a field with another question. While the field is new its name follows the question, as
// long as nobody typed a name.
export function asking(f: Field, label: string, all: Field[]): Field {
  const taken = namesOf(all.filter((x) => x.key !== f.key));
  const made = (text: string) => codeOf(text.replace(/^[^a-z]+/i, ""), taken, f.type);
  const follows = f.key.startsWith("new") && f.name === made(f.label);
  return { ...f, label, ...(follows && { name: made(label) }) };
}
