import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { whole } from "../../parts/address";
import { shop } from "../../frame/roots";

export const policies = [
  createRoute({
    getParentRoute: () => shop,
    path: "policies",
    validateSearch: (raw: Record<string, unknown>): { page?: number | undefined } => ({ page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./Policies"), "Policies"),
  }),
  createRoute({ getParentRoute: () => shop, path: "policies/$id", component: lazyRouteComponent(() => import("./Policy"), "Policy") }),
] as const;
