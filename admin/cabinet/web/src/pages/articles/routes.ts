import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { whole } from "../../parts/address";
import { articleSearch } from "./search";

export const articles = [
  createRoute({ getParentRoute: () => shop, path: "articles", validateSearch: articleSearch, component: lazyRouteComponent(() => import("./Articles"), "Articles") }),
  createRoute({
    getParentRoute: () => shop,
    path: "articles/$id",
    validateSearch: (raw: Record<string, unknown>): { rubric?: number } => ({ rubric: whole(raw.rubric) }),
    component: lazyRouteComponent(() => import("./Article"), "Article"),
  }),
  createRoute({ getParentRoute: () => shop, path: "articles/rubrics", component: lazyRouteComponent(() => import("./Rubrics"), "Rubrics") }),
] as const;
