import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { auditSearch, teamSearch } from "./search";

export const team = [
  createRoute({ getParentRoute: () => shop, path: "team", validateSearch: teamSearch, component: lazyRouteComponent(() => import("./Team"), "Team") }),
  createRoute({ getParentRoute: () => shop, path: "team/audit", validateSearch: auditSearch, component: lazyRouteComponent(() => import("./Audit"), "Audit") }),
] as const;
