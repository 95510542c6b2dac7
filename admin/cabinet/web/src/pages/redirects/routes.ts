import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { phrase, whole } from "../../parts/address";
import { missSearch, ruleSearch } from "./search";

const page = (raw: Record<string, unknown>): { page?: number } => ({ page: whole(raw.page) });

export const redirects = [
  createRoute({ getParentRoute: () => shop, path: "redirects", validateSearch: ruleSearch, component: lazyRouteComponent(() => import("./Rules"), "Rules") }),
  createRoute({ getParentRoute: () => shop, path: "redirects/misses", validateSearch: missSearch, component: lazyRouteComponent(() => import("./Misses"), "Misses") }),
  createRoute({
    getParentRoute: () => shop,
    path: "redirects/check",
    validateSearch: (raw: Record<string, unknown>): { url?: string } => ({ url: phrase(raw.url, 8192) }),
    component: lazyRouteComponent(() => import("./Check"), "Check"),
  }),
  createRoute({ getParentRoute: () => shop, path: "redirects/order", component: lazyRouteComponent(() => import("./Order"), "Order") }),
  createRoute({ getParentRoute: () => shop, path: "redirects/versions", validateSearch: page, component: lazyRouteComponent(() => import("./Versions"), "Versions") }),
  createRoute({ getParentRoute: () => shop, path: "redirects/versions/$version", validateSearch: page, component: lazyRouteComponent(() => import("./Version"), "Version") }),
  createRoute({
    getParentRoute: () => shop,
    path: "redirects/$id",
    validateSearch: (raw: Record<string, unknown>): { from?: string } => ({ from: phrase(raw.from, 8192) }),
    component: lazyRouteComponent(() => import("./Rule"), "RulePage"),
  }),
] as const;
