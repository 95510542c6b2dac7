// The calls of the inbox, and what a lead says.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { queryOf, type LeadSearch, type Status } from "./search";

export type Lead = Schemas["SiteLeadView"];
export type Form = Schemas["SiteFormView"];

export const leadsQuery = (shop: string, search: LeadSearch) =>
  queryOptions({
    queryKey: [shop, "leads", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/form-leads", { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const leadQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "lead", id],
    queryFn: async () => (await answer(api.GET("/form-leads/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const formsQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "forms"],
    queryFn: async ({ signal }) => (await answer(api.GET("/forms", { signal }))).result,
    staleTime: 60_000,
  });

export const saveLead = async (lead: Lead, change: { status?: Status; note?: string }) =>
  (await answer(api.PUT("/form-leads/{id}", { params: { path: { id: lead.id } }, body: { ...change, expected_updated_at: lead.updated_at } }))).result;

export const deleteLead = (id: string) => answer(api.DELETE("/form-leads/{id}", { params: { path: { id } } }));

export interface Answer {
  name: string;
  label: string;
  type: Form["fields"][number]["type"] | undefined; // undefined: the form has no such field any more
  value: string;
}

// answersOf lists what was filled in, in the order of the form's fields.
export function answersOf(lead: Lead, form: Form | undefined): Answer[] {
  const fields = form?.fields ?? [];
  const place = (name: string) => fields.findIndex((f) => f.name === name) >>> 0; // unknown ones last
  return Object.entries(lead.values)
    .map(([name, value]) => {
      const field = fields.find((f) => f.name === name);
      return { name, label: field?.label || name, type: field?.type, value: String(value) };
    })
    .sort((a, b) => place(a.name) - place(b.name));
}

const longest = 80; // characters of a title
const quiet = ["consent", "checkbox", "hidden", "file"];

// titleOf is how a lead is called: the beginning of what was filled in.
export function titleOf(lead: Lead, form: Form | undefined): string {
  const said = answersOf(lead, form).filter((a) => !a.type || !quiet.includes(a.type));
  const characters = [...said.slice(0, 3).map((a) => a.value).join(" · ")];
  return characters.length > longest ? characters.slice(0, longest).join("") + "…" : characters.join("");
}
