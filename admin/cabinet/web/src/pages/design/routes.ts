import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { whole } from "../../parts/address";

// slotsSearch names the place of which the slots are shown, such as category:5.
const slotsSearch = (raw: Record<string, unknown>): { of?: string } => ({ of: typeof raw.of === "string" && /^[a-z_]+:\d+$/.test(raw.of) ? raw.of : undefined });

export const design = [
  createRoute({
    getParentRoute: () => shop,
    path: "design",
    validateSearch: (raw: Record<string, unknown>): { q?: string } => ({ q: typeof raw.q === "string" ? raw.q : undefined }),
    component: lazyRouteComponent(() => import("./Pages"), "Pages"),
  }),
  createRoute({ getParentRoute: () => shop, path: "design/slots", validateSearch: slotsSearch, component: lazyRouteComponent(() => import("./Slots"), "Slots") }),
  createRoute({
    getParentRoute: () => shop,
    path: "design/drafts",
    validateSearch: (raw: Record<string, unknown>): { page?: number } => ({ page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./Drafts"), "Drafts"),
  }),
  createRoute({
    getParentRoute: () => shop,
    path: "design/$type/$id",
    validateSearch: (raw: Record<string, unknown>): { at?: string } => ({ at: typeof raw.at === "string" && /^\d+-\d+$/.test(raw.at) ? raw.at : undefined }),
    component: lazyRouteComponent(() => import("./DesignPage"), "DesignPage"),
  }),
] as const;
