import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { leadSearch } from "./search";

export const leads = [
  createRoute({ getParentRoute: () => shop, path: "leads", validateSearch: leadSearch, component: lazyRouteComponent(() => import("./Leads"), "Leads") }),
  createRoute({ getParentRoute: () => shop, path: "leads/$id", component: lazyRouteComponent(() => import("./Lead"), "LeadPage") }),
] as const;
