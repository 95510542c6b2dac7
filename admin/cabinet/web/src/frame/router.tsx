import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { productSearch } from "../pages/products/search";
import { Failure } from "./Failure";
import { Frame } from "./Frame";
import { Shops } from "./Shops";
import { SignedIn } from "./SignedIn";

const root = createRootRoute({
  component: () => (
    <SignedIn>
      <Outlet />
    </SignedIn>
  ),
  notFoundComponent: () => <Failure error={null} />,
});

const shops = createRoute({ getParentRoute: () => root, path: "/", component: Shops });

const shop = createRoute({ getParentRoute: () => root, path: "$shop", component: Frame });

const index = createRoute({
  getParentRoute: () => shop,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/$shop/start", params, replace: true });
  },
});

const start = createRoute({ getParentRoute: () => shop, path: "start", component: lazyRouteComponent(() => import("../pages/start/Start"), "Start") });

const products = createRoute({
  getParentRoute: () => shop,
  path: "products",
  validateSearch: productSearch,
  component: lazyRouteComponent(() => import("../pages/products/Products"), "Products"),
});

const product = createRoute({
  getParentRoute: () => shop,
  path: "products/$id",
  component: lazyRouteComponent(() => import("../pages/products/Product"), "Product"),
});

export const router = createRouter({
  routeTree: root.addChildren([shops, shop.addChildren([index, start, products, product])]),
  basepath: "/cabinet",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
