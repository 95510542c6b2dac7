import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { newSectionSearch, sectionSearch } from "./search";

export const sections = [
  createRoute({ getParentRoute: () => shop, path: "sections", validateSearch: sectionSearch, component: lazyRouteComponent(() => import("./Sections"), "Sections") }),
  createRoute({ getParentRoute: () => shop, path: "sections/$id", validateSearch: newSectionSearch, component: lazyRouteComponent(() => import("./Section"), "Section") }),
] as const;
