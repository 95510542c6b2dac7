// The calls of the pages about orders.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api, Refusal, type Schemas } from "../../api/client";
import type { Passport } from "../../frame/session";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/orders";
import { listOf, madeOf, type Order, type OrderSearch, type Status } from "./search";

export type Line = Schemas["OrderLineView"];
export type Payment = Schemas["OrderPaymentView"];
export type Shipment = Schemas["OrderShipmentView"];

export const ordersQuery = (shop: string, search: OrderSearch, store: Passport["store"]) =>
  queryOptions({
    queryKey: [shop, "orders", "list", search],
    queryFn: async ({ signal }) => (await answer(api.POST("/orders", { body: listOf(search, store.id, store.timezone), signal }))).result,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export const countsQuery = (shop: string, search: OrderSearch) => {
  const { source, platform } = madeOf(search);
  return queryOptions({
    queryKey: [shop, "orders", "counts", source, platform],
    queryFn: async ({ signal }) => (await answer(api.GET("/orders/counts", { params: { query: { "filter.source": source, "filter.platform": platform } }, signal }))).result,
    placeholderData: keepPreviousData,
  });
};

// orderQuery reads one order; while a refund is under way it looks every two seconds.
export const orderQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "order", id],
    queryFn: async ({ signal }) => (await answer(api.GET("/orders/{id}", { params: { path: { id } }, signal }))).result,
    refetchInterval: (query) => (query.state.data?.payments.some((p) => p.status === "refunding") ? 2_000 : 30_000),
  });

const messagePage = 200;

// messagesQuery reads the messages of an order; later it asks only for those that came since.
export const messagesQuery = (shop: string, id: string) => {
  const queryKey = [shop, "order", id, "messages"];
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      let list = client.getQueryData<Schemas["OrderMessageView"][]>(queryKey) ?? [];
      for (;;) {
        const { result } = await answer(api.GET("/orders/{id}/messages", { params: { path: { id }, query: { after_id: list.at(-1)?.id } }, signal }));
        list = [...list, ...result];
        if (result.length < messagePage) return list;
      }
    },
    refetchInterval: 5_000,
  });
};

export const historyQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "order", id, "history"],
    queryFn: async ({ signal }) => (await answer(api.GET("/orders/{id}/history", { params: { path: { id } }, signal }))).result,
  });

export const deliveriesQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "deliveries"],
    queryFn: async () => (await answer(api.GET("/v1/shop/delivery-options", {}))).result,
    staleTime: 60_000,
  });

// useOrderCache puts an order as a call answered it into what the pages show.
export function useOrderCache(shop: string) {
  const queries = useQueryClient();
  return {
    put: (order: Order) => {
      queries.setQueryData(orderQuery(shop, order.id).queryKey, order);
      void queries.invalidateQueries({ queryKey: [shop, "orders"] });
      void queries.invalidateQueries({ queryKey: historyQuery(shop, order.id).queryKey });
    },
    refresh: (id: string) => {
      void queries.invalidateQueries({ queryKey: [shop, "orders"] });
      return queries.invalidateQueries({ queryKey: orderQuery(shop, id).queryKey });
    },
  };
}

const moved = (id: string, status: Status, expected_status: Status) => answer(api.PUT("/orders/{id}/status", { params: { path: { id } }, body: { status, expected_status } }));

// useMove moves an order from the state that is shown. If somebody else moved it meanwhile, it shows
// where it is.
export function useMove(shop: string, order: Order) {
  const { say } = useWords(words);
  const cache = useOrderCache(shop);
  return useMutation({
    mutationFn: ({ from, to }: { from: Status; to: Status }) => moved(order.id, to, from),
    onSuccess: ({ result }, { from, to }) => {
      cache.put(result);
      told(say, say("isNow", { state: say(to) }), async () => cache.put((await moved(order.id, from, to)).result));
    },
    onError: (error) => {
      failed(say, error, error instanceof Refusal && error.code === "out_of_stock" ? namesIn(error.detail, order.items).join(", ") : "");
      void cache.refresh(order.id);
    },
  });
}

// namesIn finds the names of the products whose ids a refusal lists.
export function namesIn(detail: string, lines: { product_id: number; name: string }[]): string[] {
  const ids = (detail.match(/\d+/g) ?? []).map(Number);
  return [...new Set(lines.filter((l) => ids.includes(l.product_id)).map((l) => l.name))];
}

export type PaperKind = "slip" | "invoice" | "credit_note";

// print opens papers of orders in a window of their own.
export async function print(kind: PaperKind, ids: string[]) {
  const { result } = await answer(api.POST("/orders/papers/link", { body: { kind, ids } }));
  window.open(result.url, "_blank", "noreferrer");
}
