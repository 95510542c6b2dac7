// The calls of the pages about letters.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import type { Say, WordOf } from "../../words";
import { words } from "../../words/letters";
import { queryOf, type LetterSearch } from "./search";

export type Template = Schemas["LetterTemplateView"];
export type SentLetter = Schemas["LetterLetterView"];

export const templatesQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "letters", "templates"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/shop/letters/templates", { signal }))).result });

export const templateQuery = (shop: string, name: string) =>
  queryOptions({
    queryKey: [shop, "letter", name],
    queryFn: async () => (await answer(api.GET("/v1/shop/letters/{name}", { params: { path: { name } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const sentQuery = (shop: string, search: LetterSearch) =>
  queryOptions({
    queryKey: [shop, "letters", "sent", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/v1/shop/letters", { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

type LetterSay = Say<WordOf<typeof words>>;

// worded says a word that the API's names make up, or what stands for it.
function worded(say: LetterSay, keys: string[], otherwise: string): string {
  const key = keys.find((k) => k in words);
  return key ? say(key as keyof typeof words) : otherwise;
}

export const forBuyer = (name: string) => name.endsWith("_buyer");
const kindOf = (name: string) => name.replace(/_(buyer|seller)$/, "");

export const titleOf = (say: LetterSay, name: string) => worded(say, [`letter_${name}`, `letter_${kindOf(name)}`], name);
export const whenOf = (say: LetterSay, name: string) => worded(say, [`when_${name}`, `when_${kindOf(name)}`], "");
export const recipientOf = (say: LetterSay, name: string) => say(forBuyer(name) ? "toBuyer" : "toSeller");

// dataGroups lists what can be inserted into a template by the record it belongs to. A field of the
// entries of a list is written for each of them.
export function dataGroups(say: LetterSay, fields: Template["fields"]) {
  const groups = new Map<string, { value: string; label: string }[]>();
  const add = (record: string, value: string, label: string) => groups.set(record, [...(groups.get(record) ?? []), { value, label }]);
  for (const { name, example } of fields) {
    const path = name.slice(1).split(".");
    const leaf = path.pop()!;
    const record = path.join(".");
    const list = name.lastIndexOf("[]");
    const value = list < 0 ? `{{${name}}}` : `{{range ${name.slice(0, list)}}}{{${name.slice(list + 2) || "."}}} {{end}}`;
    const label = worded(say, [`leaf_${leaf}`], leaf);
    add(record, value, example ? `${label}: ${example.replaceAll("\n", ", ")}` : label);
  }
  if (groups.has("Order")) {
    add("Order", '{{template "order" .}}', say("orderTable"));
    add("Buyer", '{{template "buyer" .}}', say("buyerContacts"));
  }
  return [...groups].map(([record, items]) => ({ group: worded(say, [`data_${record}`], record), items }));
}
