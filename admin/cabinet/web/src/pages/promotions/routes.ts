import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { oneOf, phrase, whole } from "../../parts/address";
import { promotionSearch } from "./search";

export interface ExplainSearch {
  product?: number;
  variant?: string;
  n?: number;
  at?: string; // as the shop's clock shows it
  code?: string;
  customer?: string;
}

const numbered = (v: unknown) => (whole(v) ? String(v) : undefined);

function explainSearch(raw: Record<string, unknown>): ExplainSearch {
  const at = phrase(raw.at, 16);
  return {
    product: whole(raw.product),
    variant: numbered(raw.variant),
    n: whole(raw.n),
    at: at && !Number.isNaN(Date.parse(at)) ? at : undefined,
    code: phrase(raw.code, 64),
    customer: numbered(raw.customer),
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
