import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";

export const start = [createRoute({ getParentRoute: () => shop, path: "start", component: lazyRouteComponent(() => import("./Start"), "Start") })] as const;
