// The calls of the pages about customers and their groups.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { queryOf, type CustomerSearch } from "./search";

export type Customer = Schemas["CustomerView"];
export type Group = Schemas["CustomerGroupView"];
export type Rule = Schemas["CustomerRuleInput"];

const form = { staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }; // it must not change below the person's hands

export const customersQuery = (shop: string, search: CustomerSearch) =>
  queryOptions({
    queryKey: [shop, "customers", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/customers", { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const customerQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "customer", id],
    queryFn: async () => (await answer(api.GET("/customers/{id}", { params: { path: { id } } }))).result,
    ...form,
  });

export type CustomerChange = Partial<Pick<Customer, "name" | "phone" | "note" | "group_ids">>;

export const saveCustomer = async (from: Customer, change: CustomerChange) =>
  (await answer(api.PUT("/customers/{id}", { params: { path: { id: from.id } }, body: { ...change, expected_updated_at: from.updated_at } }))).result;

export const mostGroups = 100; // of a shop

export const groupsQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "customer-groups"],
    queryFn: async ({ signal }) => (await answer(api.GET("/customer-groups", { params: { query: { "page.limit": mostGroups } }, signal }))).result.items,
    staleTime: 30_000,
  });

export const groupQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "customer-group", id],
    queryFn: async () => (await answer(api.GET("/customer-groups/{id}", { params: { path: { id } } }))).result,
    ...form,
  });

// ordersQuery finds the latest orders of a customer.
export const ordersQuery = (shop: string, company_id: number, customer_id: string) =>
  queryOptions({
    queryKey: [shop, "customer", customer_id, "orders"],
    queryFn: async ({ signal }) => (await answer(api.POST("/orders", { body: { filter: { company_id, customer_id }, page: { number: 1, limit: 10 } }, signal }))).result,
  });
