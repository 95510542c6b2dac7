import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { productSearch } from "./search";

export const products = [
  createRoute({ getParentRoute: () => shop, path: "products", validateSearch: productSearch, component: lazyRouteComponent(() => import("./Products"), "Products") }),
  createRoute({ getParentRoute: () => shop, path: "products/$id", component: lazyRouteComponent(() => import("./Product"), "Product") }),
] as const;
