import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { root } from "../../frame/roots";

export const account = [
  createRoute({ getParentRoute: () => root, path: "account", component: lazyRouteComponent(() => import("./Account"), "Account") }),
  createRoute({ getParentRoute: () => root, path: "invitation", staticData: { open: true }, component: lazyRouteComponent(() => import("./Invitation"), "Invitation") }),
] as const;
