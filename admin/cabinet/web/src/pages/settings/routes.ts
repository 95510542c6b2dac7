import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";

export const settings = [
  createRoute({ getParentRoute: () => shop, path: "settings", component: lazyRouteComponent(() => import("./Settings"), "Settings") }),
  createRoute({ getParentRoute: () => shop, path: "settings/shop", component: lazyRouteComponent(() => import("./Shop"), "Shop") }),
  createRoute({ getParentRoute: () => shop, path: "settings/look", component: lazyRouteComponent(() => import("./Look"), "Look") }),
  createRoute({ getParentRoute: () => shop, path: "settings/orders", component: lazyRouteComponent(() => import("./Orders"), "Orders") }),
  createRoute({ getParentRoute: () => shop, path: "settings/delivery", component: lazyRouteComponent(() => import("./Deliveries"), "Deliveries") }),
  createRoute({ getParentRoute: () => shop, path: "settings/delivery/$id", component: lazyRouteComponent(() => import("./Delivery"), "Delivery") }),
  createRoute({ getParentRoute: () => shop, path: "settings/payments", component: lazyRouteComponent(() => import("./Payments"), "Payments") }),
  createRoute({ getParentRoute: () => shop, path: "settings/payments/$method", component: lazyRouteComponent(() => import("./Payment"), "Payment") }),
  createRoute({ getParentRoute: () => shop, path: "settings/tax", component: lazyRouteComponent(() => import("./Tax"), "Tax") }),
  createRoute({ getParentRoute: () => shop, path: "settings/address", component: lazyRouteComponent(() => import("./Address"), "Address") }),
  createRoute({ getParentRoute: () => shop, path: "settings/usage", component: lazyRouteComponent(() => import("./Usage"), "Usage") }),
  createRoute({ getParentRoute: () => shop, path: "settings/state", component: lazyRouteComponent(() => import("./State"), "State") }),
] as const;
