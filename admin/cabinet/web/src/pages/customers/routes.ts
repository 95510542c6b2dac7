import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { customerSearch } from "./search";

export const customers = [
  createRoute({ getParentRoute: () => shop, path: "customers", validateSearch: customerSearch, component: lazyRouteComponent(() => import("./Customers"), "Customers") }),
  createRoute({ getParentRoute: () => shop, path: "customers/$id", component: lazyRouteComponent(() => import("./Customer"), "CustomerPage") }),
  createRoute({ getParentRoute: () => shop, path: "customers/groups", component: lazyRouteComponent(() => import("./Groups"), "Groups") }),
  createRoute({ getParentRoute: () => shop, path: "customers/groups/$id", component: lazyRouteComponent(() => import("./Group"), "GroupPage") }),
] as const;
