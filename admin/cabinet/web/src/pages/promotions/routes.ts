import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { oneOf, phrase, whole } from "../../parts/address";
import { promotionSearch } from "./search";

export interface ExplainSearch {
  product?: number;
  variant?: number;
  n?: number;
  at?: string; // as the shop's clock shows it
  code?: string;
  customer?: number;
}

function explainSearch(raw: Record<string, unknown>): ExplainSearch {
  const at = phrase(raw.at, 16);
  return {
    product: whole(raw.product),
    variant: whole(raw.variant),
    n: whole(raw.n),
    at: at && !Number.isNaN(Date.parse(at)) ? at : undefined,
    code: phrase(raw.code, 64),
    customer: whole(raw.customer),
  };
}

export const promotions = [
  createRoute({ getParentRoute: () => shop, path: "promotions", validateSearch: promotionSearch, component: lazyRouteComponent(() => import("./Promotions"), "Promotions") }),
  createRoute({
    getParentRoute: () => shop,
    path: "promotions/$id",
    validateSearch: (raw: Record<string, unknown>): { for?: "group" } => ({ for: oneOf(["group"], raw.for) }),
    component: lazyRouteComponent(() => import("./Promotion"), "Promotion"),
  }),
  createRoute({
    getParentRoute: () => shop,
    path: "promotions/prices",
    validateSearch: (raw: Record<string, unknown>): { page?: number } => ({ page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./Rules"), "Rules"),
  }),
  createRoute({ getParentRoute: () => shop, path: "promotions/prices/$id", component: lazyRouteComponent(() => import("./Rule"), "Rule") }),
  createRoute({ getParentRoute: () => shop, path: "promotions/explain", validateSearch: explainSearch, component: lazyRouteComponent(() => import("./Explain"), "Explain") }),
] as const;
