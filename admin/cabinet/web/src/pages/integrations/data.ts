// The calls of the pages about keys, assistants and webhooks.
import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import type { JournalSearch } from "./search";

export type Key = Schemas["StoreKey"];
export type Grant = Schemas["PeopleGrant"];
export type Webhook = Schemas["WebhookView"];
export type Seller = Schemas["SellerPlatformView"];
export type SellerToken = Schemas["SellerTokenView"];
export type Delivery = Schemas["WebhookDeliveryView"];

export const keysQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "keys"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/account/tokens", { signal }))).result });

// Grants are the person's, in all shops.
export const grantsQuery = queryOptions({ queryKey: ["me", "grants"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/account/grants", { signal }))).result });

// Assistants through which people buy.
export const sellersQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "sellers"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/shop/assistants", { signal }))).result });

export const tokensQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "sellers", "tokens"], queryFn: async ({ signal }) => (await answer(api.GET("/v1/shop/assistants/tokens", { signal }))).result });

export const webhooksQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "webhooks"], queryFn: async ({ signal }) => (await answer(api.GET("/webhooks", { signal }))).result });

export const webhookQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "webhook", id],
    queryFn: async () => (await answer(api.GET("/webhooks/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // it must not change below the person's hands
    refetchOnReconnect: false,
  });

export const journalSize = 20;

export const journalQueryOf = (s: JournalSearch) => ({ "filter.state": s.state, "page.number": s.page ?? 1, "page.limit": journalSize });

const moving = (d: Delivery) => d.state === "queued" || d.state === "retrying";

// journalQuery follows deliveries that are on their way.
export const journalQuery = (shop: string, id: string, search: JournalSearch) =>
  queryOptions({
    queryKey: [shop, "webhook", id, "deliveries", search],
    queryFn: async ({ signal }) => (await answer(api.GET("/webhooks/{id}/deliveries", { params: { path: { id }, query: journalQueryOf(search) }, signal }))).result,
    refetchInterval: (query) => (query.state.data?.items.some(moving) ? 3000 : false),
  });

interface ScopeInfo {
  scope: Key["scopes"][number];
  sensitive: boolean; // only owners and administrators may grant it
  opens: string;
}

interface EventInfo {
  event: string;
  sensitivity: string; // "public": any member may receive it; "": nobody can subscribe to it
  when: string;
}

async function published<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as T;
}

export const scopesQuery = queryOptions({ queryKey: ["scopes"], queryFn: async () => (await published<{ scopes: ScopeInfo[] }>("/docs/scopes.json")).scopes, staleTime: Infinity });

export const eventsQuery = queryOptions({
  queryKey: ["events"],
  queryFn: async () => (await published<{ events: EventInfo[] }>("/docs/events.json")).events.filter((e) => e.sensitivity !== ""),
  staleTime: Infinity,
});
