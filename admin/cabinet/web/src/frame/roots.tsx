// The routes that all pages hang on.
import { createRootRoute, createRoute, Outlet, useMatches } from "@tanstack/react-router";
import { Failure } from "./Failure";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    open?: boolean; // without a session, too
  }
}

function Root() {
  const open = useMatches({ select: (matches) => matches.some((m) => m.staticData.open) });
  if (open) return <Outlet />;
  return (
    <SignedIn>
      <Outlet />
    </SignedIn>
  );
}

export const root = createRootRoute({
  component: Root,
  notFoundComponent: () => <Failure page error={null} />,
});

export const shop = createRoute({ getParentRoute: () => root, path: "$shop", component: Frame });
