import { queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";

export type Delivery = Schemas["SettingDeliveryView"];
export type Method = Schemas["PaymentOwnMethod"];

// A form must not change below the person's hands.
const forForms = { staleTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false } as const;

export const deliveriesQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "deliveries"], queryFn: async () => (await answer(api.GET("/v1/shop/delivery-options", {}))).result });

export const deliveryQuery = (shop: string, id: string) =>
  queryOptions({ queryKey: [shop, "delivery", id], queryFn: async () => (await answer(api.GET("/v1/shop/delivery-options/{id}", { params: { path: { id } } }))).result, ...forForms });

export const methodsQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "methods"], queryFn: async () => (await answer(api.GET("/v1/shop/payment-methods", {}))).result });

export const methodQuery = (shop: string, method: string) =>
  queryOptions({ queryKey: [shop, "method", method], queryFn: async () => (await answer(api.GET("/v1/shop/payment-methods/{method}", { params: { path: { method } } }))).result, ...forForms });
