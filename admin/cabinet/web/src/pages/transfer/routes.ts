import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { oneOf, whole } from "../../parts/address";

export const transfer = [
  createRoute({
    getParentRoute: () => shop,
    path: "transfer",
    validateSearch: (raw: Record<string, unknown>): { job?: number; what?: "products" | "customers" | "redirects" | undefined } => ({ job: whole(raw.job), what: oneOf(["products", "customers", "redirects"], raw.what) }),
    component: lazyRouteComponent(() => import("./Transfer"), "Transfer"),
  }),
  createRoute({
    getParentRoute: () => shop,
    path: "transfer/move-in",
    validateSearch: (raw: Record<string, unknown>): { job?: number } => ({ job: whole(raw.job) }),
    component: lazyRouteComponent(() => import("./MoveIn"), "MoveIn"),
  }),
] as const;
