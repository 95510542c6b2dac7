// Sections of content blocks as their forms read and write them. Whatever a form does not know stays
// as it is.
import type { Schemas } from "../../api/client";
import type { Language } from "../../words";
import { fieldsOf } from "./kinds";
import type { Entry, Reference } from "./reference";

export type Block = Schemas["StoreBlock"];
export type Section = Block["sections"][number];
export type Place = { block: string; section: number };
type Path = (string | number)[];

export const placeText = (p: Place) => `${p.block}-${p.section}`;
export const placeOf = (text: string | undefined): Place | undefined => {
  const [block, section] = text?.split("-") ?? [];
  return block && section ? { block, section: Number(section) } : undefined;
};

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

export function read(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((v, name) => (isObject(v) || Array.isArray(v) ? (v as Record<string | number, unknown>)[name] : undefined), value);
}

// written returns a value with another one in it; undefined removes it.
export function written(value: unknown, [name, ...rest]: Path, to: unknown): unknown {
  if (name === undefined) return to;
  if (typeof name === "number") {
    const list = Array.isArray(value) ? [...(value as unknown[])] : [];
    list[name] = written(list[name], rest, to);
    return list;
  }
  const object = isObject(value) ? { ...value } : {};
  const inner = written(object[name], rest, to);
  if (inner === undefined) delete object[name];
  else object[name] = inner;
  return object;
}

export function kindOf(section: Section): string {
  const payload = isObject(section.payload) ? section.payload : {};
  if (typeof payload.kind === "string") return payload.kind;
  return typeof payload.text === "string" ? "text" : "";
}

export const entryOf = (reference: Reference, kind: string): Entry | undefined => [...reference.widgets, ...reference.structural].find((e) => e.kind === kind);

// settingsPath is where the settings of a kind are in its section.
export const settingsPath = (entry: Entry): string[] => ["payload", ...(entry.writePath || "props").split(".")];

const settingsOf = (section: Section, entry: Entry) => read(section, settingsPath(entry));

// nestOf is the name below props of kinds that nest their settings.
const nestOf = (entry: Entry) => entry.writePath.split(".")[1] ?? Object.keys(entry.mount ?? {})[0]?.split(".")[1];

// unread lists what a section has that nothing of this version reads: settings of another one.
export function unread(section: Section, entry: Entry | undefined, reference: Reference): { path: string[]; value: unknown }[] {
  const found: { path: string[]; value: unknown }[] = [];
  const add = (at: string[], object: unknown, known: string[]) => {
    if (isObject(object)) for (const [name, value] of Object.entries(object)) if (!known.includes(name)) found.push({ path: [...at, name], value });
  };
  if (!entry) return [{ path: ["payload"], value: section.payload }];
  const own = fieldsOf(entry.props).map(([name]) => name);
  const axes = [...fieldsOf(reference.wrapper.props).map(([name]) => name), ...reference.wrapper.layers];
  const nest = nestOf(entry);
  add([], section, ["type", "payload", ...(entry.items ? ["items"] : []), ...(entry.kind === "heading" ? ["text", "title", "tag", "level", "align"] : [])]);
  add(["payload"], section.payload, ["v", "kind", "props", ...(entry.kind === "text" ? ["text", "origin"] : [])]);
  add(["payload", "props"], read(section, ["payload", "props"]), nest ? [nest, ...axes] : [...own, ...axes]);
  if (nest) add(["payload", "props", nest], read(section, ["payload", "props", nest]), [...own, ...Object.keys(entry.mount ?? {}).map((p) => p.split(".")[2]!)]);
  return found;
}

const plain = (html: unknown) => (typeof html === "string" ? html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim() : "");

// titleOf tells sections of one kind apart: by their heading, or the beginning of their text.
export function titleOf(section: Section, entry: Entry | undefined): string {
  const settings = entry ? settingsOf(section, entry) : undefined;
  const item = read(section, ["items", 0]);
  const texts = [read(settings, ["title", "text"]), read(settings, ["titleText"]), read(settings, ["text"]), read(section, ["payload", "text"]), read(item, ["title"]), read(item, ["question"])];
  return (texts.map(plain).find(Boolean) ?? "").slice(0, 120);
}

export const labelOf = (entry: Entry | undefined, language: Language, kind: string) => entry?.label[language] ?? kind;

// made returns a new section of a kind.
export function made(entry: Entry): Section {
  const nest = nestOf(entry);
  const props = entry.kind === "text" ? { text: "" } : nest ? { [nest]: {} } : {};
  return { type: "text", payload: { v: 2, kind: entry.kind, props }, ...(entry.items ? { items: [{}] } : {}) };
}

export const bytesOf = (sections: Section[]) => new TextEncoder().encode(JSON.stringify(sections)).length;
