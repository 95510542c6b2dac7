import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { eventSearch, journalSearch } from "./search";

export const integrations = [
  createRoute({ getParentRoute: () => shop, path: "integrations", component: lazyRouteComponent(() => import("./Keys"), "Keys") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/keys/new", component: lazyRouteComponent(() => import("./NewKey"), "NewKey") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/assistants", component: lazyRouteComponent(() => import("./Assistants"), "Assistants") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/selling", component: lazyRouteComponent(() => import("./Selling"), "Selling") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/selling/$id", validateSearch: journalSearch, component: lazyRouteComponent(() => import("./Told"), "Told") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/webhooks", component: lazyRouteComponent(() => import("./Webhooks"), "Webhooks") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/webhooks/$id", validateSearch: journalSearch, component: lazyRouteComponent(() => import("./Webhook"), "Webhook") }),
  createRoute({ getParentRoute: () => shop, path: "integrations/events", validateSearch: eventSearch, component: lazyRouteComponent(() => import("./Events"), "Events") }),
] as const;
