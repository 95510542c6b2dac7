// Words of the cabinet in the person's language. Each area has a file of its own, which is loaded
// with its pages.
import { createContext, useContext, useMemo } from "react";
import { frame } from "./frame";

export type Language = "en" | "ru";
export type Phrases = Record<string, readonly [en: string, ru: string]>;
// WordOf names the words that pages of an area have: their own and those of the frame.
export type WordOf<P extends Phrases> = Word | (keyof P & string);
export type Word = keyof typeof frame;

export type Say<K extends string = Word> = (word: K, values?: Record<string, string | number>) => string;

// sayIn returns the function that finds the words of the frame and of one area. "{n}" in a word is
// a value; where forms differ by number they are separated by "|", in the order of the language's
// plural categories.
export function sayIn<P extends Phrases>(language: Language, own: P): Say<WordOf<P>> {
  const order = language === "ru" ? ["one", "few", "many"] : ["one", "other"];
  return (word, values = {}) => {
    let text = (own[word] ?? frame[word as Word])[language === "ru" ? 1 : 0];
    if (text.includes("|")) {
      const forms = text.split("|");
      const at = order.indexOf(new Intl.PluralRules(language).select(Number(values.n ?? 0)));
      text = forms[at < 0 ? forms.length - 1 : at] ?? text;
    }
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  };
}

export function preferredLanguage(saved: string): Language {
  if (saved === "en" || saved === "ru") return saved;
  return navigator.language.toLowerCase().startsWith("ru") ? "ru" : "en";
}

export const LanguageContext = createContext<{ language: Language; choose: (l: Language) => void }>({ language: "en", choose: () => {} });

const none = {};

// useWords returns the words of the frame, and those of an area if it is given.
export function useWords(): { language: Language; choose: (l: Language) => void; say: Say };
export function useWords<P extends Phrases>(own: P): { language: Language; choose: (l: Language) => void; say: Say<WordOf<P>> };
export function useWords(own: Phrases = none) {
  const context = useContext(LanguageContext);
  const say = useMemo(() => sayIn(context.language, own), [context.language, own]);
  return { ...context, say };
}
