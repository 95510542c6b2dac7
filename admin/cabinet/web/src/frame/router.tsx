import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { account } from "../pages/account/routes";
import { articles } from "../pages/articles/routes";
import { attributes } from "../pages/attributes/routes";
import { design } from "../pages/design/routes";
import { forms } from "../pages/forms/routes";
import { letters } from "../pages/letters/routes";
import { customers } from "../pages/customers/routes";
import { leads } from "../pages/leads/routes";
import { media } from "../pages/media/routes";
import { orders } from "../pages/orders/routes";
import { policies } from "../pages/policies/routes";
import { products } from "../pages/products/routes";
import { promotions } from "../pages/promotions/routes";
import { redirects } from "../pages/redirects/routes";
import { reviews } from "../pages/reviews/routes";
import { sections } from "../pages/sections/routes";
import { settings } from "../pages/settings/routes";
import { siteFiles } from "../pages/sitefiles/routes";
import { start } from "../pages/start/routes";
import { statistics } from "../pages/statistics/routes";
import { integrations } from "../pages/integrations/routes";
import { team } from "../pages/team/routes";
import { transfer } from "../pages/transfer/routes";
import { websites } from "../pages/websites/routes";
import { whole } from "../parts/address";
import { Failure } from "./Failure";
import { root, shop } from "./roots";
import { Shops } from "./Shops";

const shops = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (raw: Record<string, unknown>): { job?: number } => ({ job: whole(raw.job) }),
  component: Shops,
});

const index = createRoute({
  getParentRoute: () => shop,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$shop/start", params, replace: true });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([shops, ...account, shop.addChildren([index, ...start, ...orders, ...products, ...articles, ...design, ...websites, ...siteFiles, ...media, ...sections, ...attributes, ...transfer, ...letters, ...policies, ...forms, ...promotions, ...statistics, ...redirects, ...team, ...integrations, ...settings, ...customers, ...reviews, ...leads])]),
  basepath: "/cabinet",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Failure page error={error} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
