// The routes that all pages hang on.
import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { Failure } from "./Failure";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

export const root = createRootRoute({
  component: () => (
    <SignedIn>
      <Outlet />
    </SignedIn>
  ),
  notFoundComponent: () => <Failure page error={null} />,
});

export const shop = createRoute({ getParentRoute: () => root, path: "$shop", component: Frame });
