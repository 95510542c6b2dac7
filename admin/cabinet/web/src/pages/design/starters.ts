import type { Language } from "../../words";
import pages from "./starters.json";
import type { Section } from "./sections";

export interface Starter {
  key: string;
  home: boolean;
  name: string;
  about: string;
  sections: Section[];
}

// inLanguage writes texts that are given in both languages in one.
function inLanguage(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((v: unknown) => inLanguage(v, language));
  if (typeof value !== "object" || value === null) return value;
  const object = value as Record<string, unknown>;
  if (typeof object.en === "string" && typeof object.ru === "string") return object[language];
  return Object.fromEntries(Object.entries(object).map(([name, v]) => [name, inLanguage(v, language)]));
}

// starters are whole pages to begin with. A Go test validates them.
export const starters = (language: Language) => inLanguage(pages, language) as Starter[];
