import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";

const page = (raw: Record<string, unknown>): { page?: number | undefined } => ({ page: Number.isInteger(raw.page) && Number(raw.page) > 1 ? Number(raw.page) : undefined });

export const attributes = [
  createRoute({ getParentRoute: () => shop, path: "attributes", component: lazyRouteComponent(() => import("./Attributes"), "Attributes") }),
  createRoute({ getParentRoute: () => shop, path: "attributes/$id", component: lazyRouteComponent(() => import("./Attribute"), "Attribute") }),
  createRoute({ getParentRoute: () => shop, path: "groups", validateSearch: page, component: lazyRouteComponent(() => import("./Groups"), "Groups") }),
  createRoute({ getParentRoute: () => shop, path: "groups/$id", component: lazyRouteComponent(() => import("./Group"), "Group") }),
] as const;
