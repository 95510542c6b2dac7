// The calls of the pages about closed parts.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";

export type PolicyView = Schemas["PolicyPolicyView"];
export type Grant = Schemas["PolicyGrantView"];
export type Resource = PolicyView["resources"][number];

export const pageSize = 20;
export const pageOf = (page = 1) => ({ "page.number": page, "page.limit": pageSize });

export const policiesQuery = (shop: string, page: number | undefined) =>
  queryOptions({
    queryKey: [shop, "policies", page ?? 1],
    queryFn: async ({ signal }) => (await answer(api.GET("/access-policies", { params: { query: pageOf(page) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const policyQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "policy", id],
    queryFn: async () => (await answer(api.GET("/access-policies/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });
