import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { letterSearch } from "./search";

export const letters = [
  createRoute({ getParentRoute: () => shop, path: "letters", component: lazyRouteComponent(() => import("./Letters"), "Letters") }),
  createRoute({ getParentRoute: () => shop, path: "letters/sent", validateSearch: letterSearch, component: lazyRouteComponent(() => import("./Sent"), "Sent") }),
  createRoute({ getParentRoute: () => shop, path: "letters/$name", component: lazyRouteComponent(() => import("./Letter"), "Letter") }),
] as const;
