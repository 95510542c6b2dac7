import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { phrase, whole } from "../../parts/address";

export const siteFiles = [
  createRoute({
    getParentRoute: () => shop,
    path: "site-files",
    validateSearch: (raw: Record<string, unknown>): { q?: string | undefined; page?: number | undefined } => ({ q: phrase(raw.q), page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./SiteFiles"), "SiteFiles"),
  }),
  createRoute({ getParentRoute: () => shop, path: "site-files/$id", component: lazyRouteComponent(() => import("./SiteFile"), "SiteFilePage") }),
] as const;
