import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { statisticsSearch } from "./search";

export const statistics = [
  createRoute({ getParentRoute: () => shop, path: "statistics", validateSearch: statisticsSearch, component: lazyRouteComponent(() => import("./Statistics"), "Statistics") }),
] as const;
