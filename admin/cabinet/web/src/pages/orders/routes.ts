import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { whole } from "../../parts/address";
import { orderSearch } from "./search";

export const orders = [
  createRoute({ getParentRoute: () => shop, path: "orders", validateSearch: orderSearch, component: lazyRouteComponent(() => import("./Orders"), "Orders") }),
  createRoute({ getParentRoute: () => shop, path: "orders/$id", component: lazyRouteComponent(() => import("./Order"), "Order") }),
  createRoute({ getParentRoute: () => shop, path: "orders/new", component: lazyRouteComponent(() => import("./new/NewOrder"), "NewOrder") }),
  createRoute({
    getParentRoute: () => shop,
    path: "orders/carts",
    validateSearch: (raw: Record<string, unknown>): { page?: number } => ({ page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./Carts"), "Carts"),
  }),
] as const;
