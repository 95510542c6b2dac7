import { createContext, useContext } from "react";
import type { Schemas } from "../../../api/client";
import type { Language } from "../../../words";
import { names, values } from "../../../words/settings_of_blocks";
import type { Schema } from "../kinds";
import type { Block } from "../sections";

// Around is what the fields of a block share.
export interface Around {
  shop: string;
  language: Language;
  locked: boolean;
  blocks: Block[];
  findings: Schemas["WidgetFinding"][];
}

export const AroundContext = createContext<Around>({ shop: "", language: "en", locked: false, blocks: [], findings: [] });
export const useAround = () => useContext(AroundContext);

export interface FieldProps {
  name: string;
  label: string;
  schema: Schema;
  value: unknown;
  path: string; // as /docs/validate names it
  onChange: (value: unknown) => void; // undefined: not set
}

const at = (language: Language) => (language === "ru" ? 1 : 0);

export const nameOf = (name: string, language: Language) => names[name]?.[at(language)] ?? name;
export const valueName = (value: string | number, language: Language) => values[String(value)]?.[at(language)] ?? String(value);

// pathOf continues a path as /docs/validate does.
export const pathOf = (at: string, name: string | number) => (typeof name === "number" ? `${at}[${name}]` : `${at}.${name}`);
