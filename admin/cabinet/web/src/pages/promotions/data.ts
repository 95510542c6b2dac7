// The calls of the pages about promotions and quantity prices.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { queryOf, type PromotionSearch } from "./search";

export type Promotion = Schemas["PromotionPromotionView"];
export type Item = Schemas["PromotionItemInput"];
export type Rule = Schemas["PromotionRuleView"];
export type RuleItem = Schemas["PromotionRuleItemInput"];
export type Code = Schemas["PromotionCodeView"];

const form = { staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }; // it must not change below the person's hands

export const promotionsQuery = (shop: string, search: PromotionSearch) =>
  queryOptions({
    queryKey: [shop, "promotions", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/promotions", { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const promotionQuery = (shop: string, id: string) =>
  queryOptions({ queryKey: [shop, "promotion", id], queryFn: async () => (await answer(api.GET("/promotions/{id}", { params: { path: { id } } }))).result, ...form });

export async function setActive(id: string, active: boolean) {
  const params = { params: { path: { id } } };
  return (await answer(active ? api.POST("/promotions/{id}/activate", params) : api.POST("/promotions/{id}/deactivate", params))).result;
}

export const codesPage = 20;

export const readCodes = async (id: string, page: number, limit: number) =>
  (await answer(api.GET("/promotions/{id}/codes", { params: { path: { id }, query: { "page.number": page, "page.limit": limit } } }))).result;

export const codesQuery = (shop: string, id: string, page: number) =>
  queryOptions({ queryKey: [shop, "promotion", id, "codes", page], queryFn: () => readCodes(id, page, codesPage), placeholderData: keepPreviousData });

export const rulesPage = 50;

export const rulesQuery = (shop: string, page: number) =>
  queryOptions({
    queryKey: [shop, "pricing-rules", page],
    queryFn: async ({ signal }) => (await answer(api.GET("/pricing-rules", { params: { query: { "page.number": page, "page.limit": rulesPage } }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const ruleQuery = (shop: string, id: string) =>
  queryOptions({ queryKey: [shop, "pricing-rule", id], queryFn: async () => (await answer(api.GET("/pricing-rules/{id}", { params: { path: { id } } }))).result, ...form });

export async function setRuleActive(id: string, active: boolean) {
  const params = { params: { path: { id } } };
  return (await answer(active ? api.POST("/pricing-rules/{id}/activate", params) : api.POST("/pricing-rules/{id}/deactivate", params))).result;
}

export const groupsQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "customer-groups", "all"],
    queryFn: async ({ signal }) => (await answer(api.GET("/customer-groups", { params: { query: { "page.number": 1, "page.limit": 100 } }, signal }))).result.items,
    staleTime: 60_000,
  });
