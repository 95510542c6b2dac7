// What the list of orders shows is in its address, so that a link shows the same.
import type { Schemas } from "../../api/client";
import { day, oneOf, phrase, whole } from "../../parts/address";
import { startOfDay } from "../../parts/dates";

export type Order = Schemas["OrderOrderView"];
export type Status = Order["status"];
export type Shipped = Order["shipment_status"];

export const statuses = ["new", "processing", "completed", "cancelled"] as const satisfies Status[];
export const shipmentStatuses = ["none", "partial", "shipped", "delivered"] as const satisfies Shipped[];
export const paymentStatuses = ["none", "pending", "failed", "paid", "refunding", "refunded"] as const;
export type Paid = (typeof paymentStatuses)[number];
export const sources = ["storefront", "manual", "assistant"] as const satisfies Order["source"][];
const waits = ["payment", "shipment", "refund"] as const;

const sorts = {
  oldest: { field: "created_at", order: "asc" },
  updated: { field: "updated_at", order: "desc" },
  largest: { field: "items_total", order: "desc" },
} as const;
export type Sort = keyof typeof sorts;

export interface OrderSearch {
  q?: string;
  status?: Status;
  payment?: Paid;
  shipment?: Shipped;
  waits?: (typeof waits)[number]; // what the orders wait for, as the start page counts them
  source?: (typeof sources)[number];
  platform?: number; // id of an assistant
  tag?: string;
  delivery?: number;
  buyer?: number; // id of a person
  from?: string; // days such as 2026-11-30
  to?: string;
  sort?: Sort;
  page?: number;
}

export function orderSearch(raw: Record<string, unknown>): OrderSearch {
  return {
    q: phrase(raw.q),
    status: oneOf(statuses, raw.status),
    payment: oneOf(paymentStatuses, raw.payment),
    shipment: oneOf(shipmentStatuses, raw.shipment),
    waits: oneOf(waits, raw.waits),
    source: oneOf(sources, raw.source),
    platform: whole(raw.platform),
    tag: phrase(raw.tag, 64),
    delivery: whole(raw.delivery),
    buyer: whole(raw.buyer),
    from: day(raw.from),
    to: day(raw.to),
    sort: oneOf(Object.keys(sorts) as Sort[], raw.sort),
    page: whole(raw.page),
  };
}

export const pageSize = 50;

const one = <T>(v: T | undefined) => (v === undefined ? undefined : [v]);

// madeOf is how the orders of a search came to the shop.
export const madeOf = (s: OrderSearch) => ({ source: one(s.source), platform: s.platform === undefined ? undefined : String(s.platform) });

// filterOf is what a search leaves of the shop's orders; days are those of the shop's time zone.
const filterOf = (s: OrderSearch, zone: string) => ({
  status: one(s.status),
  payment_status: one(s.payment),
  shipment_status: one(s.shipment),
  waits_for: s.waits,
  ...madeOf(s),
  tags: one(s.tag),
  delivery_option_id: s.delivery,
  user_id: s.buyer,
  query: s.q,
  created_from: startOfDay(s.from, zone),
  created_to: startOfDay(s.to, zone, 1),
});

// listOf is the body of POST /orders for a search.
export const listOf = (s: OrderSearch, company_id: number, zone: string) => ({
  filter: { company_id, ...filterOf(s, zone) },
  sort: s.sort ? sorts[s.sort] : ({ field: "created_at", order: "desc" } as const),
  page: { number: s.page ?? 1, limit: pageSize },
});

// exportOf is the query of GET /orders/export for the same orders.
export const exportOf = (s: OrderSearch, zone: string) => Object.fromEntries(Object.entries(filterOf(s, zone)).map(([name, value]) => ["filter." + name, value]));

export const paidOf = (o: Order) => o.payment?.status ?? "none";
