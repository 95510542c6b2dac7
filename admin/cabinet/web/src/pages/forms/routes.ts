import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { phrase, whole } from "../../parts/address";

const search = (raw: Record<string, unknown>): { q?: string | undefined; page?: number | undefined } => ({ q: phrase(raw.q, 100), page: whole(raw.page) });

export const forms = [
  createRoute({ getParentRoute: () => shop, path: "forms", validateSearch: search, component: lazyRouteComponent(() => import("./Forms"), "Forms") }),
  createRoute({ getParentRoute: () => shop, path: "forms/$id", component: lazyRouteComponent(() => import("./Form"), "FormPage") }),
] as const;
