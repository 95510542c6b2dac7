// The calls of the pages about forms.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";

export type FormView = Schemas["SiteFormView"];

export const formsQuery = (shop: string) => queryOptions({ queryKey: [shop, "forms"], queryFn: async ({ signal }) => (await answer(api.GET("/forms", { signal }))).result });

export const formQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "form", id],
    queryFn: async () => (await answer(api.GET("/forms/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });
