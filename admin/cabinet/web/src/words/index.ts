// Words of the cabinet in the person's language.
import { createContext, useContext } from "react";
import { en } from "./en";
import { ru } from "./ru";

export type Word = keyof typeof en;
export type Language = "en" | "ru";
export type Words = Record<Word, string>;

const languages: Record<Language, Words> = { en, ru };

export type Say = (word: Word, values?: Record<string, string | number>) => string;

// sayIn returns the function that finds words. "{n}" in a word is a value; where forms differ by
// number they are separated by "|", in the order of the language's plural categories.
export function sayIn(language: Language): Say {
  const plural = new Intl.PluralRules(language);
  const order = language === "ru" ? ["one", "few", "many"] : ["one", "other"];
  return (word, values = {}) => {
    let text = languages[language][word];
    if (text.includes("|")) {
      const forms = text.split("|");
      const at = order.indexOf(plural.select(Number(values.n ?? 0)));
      text = forms[at < 0 ? forms.length - 1 : at] ?? text;
    }
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  };
}

export function preferredLanguage(saved: string): Language {
  if (saved === "en" || saved === "ru") return saved;
  return navigator.language.toLowerCase().startsWith("ru") ? "ru" : "en";
}

export const LanguageContext = createContext<{ language: Language; say: Say; choose: (l: Language) => void }>({
  language: "en",
  say: sayIn("en"),
  choose: () => {},
});

export function useWords() {
  return useContext(LanguageContext);
}
