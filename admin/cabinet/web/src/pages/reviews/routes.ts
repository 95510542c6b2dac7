import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { reviewSearch } from "./search";

export const reviews = [createRoute({ getParentRoute: () => shop, path: "reviews", validateSearch: reviewSearch, component: lazyRouteComponent(() => import("./Reviews"), "Reviews") })] as const;
