import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { oneOf, phrase, whole } from "../../parts/address";

const kinds = ["documents", "folders", "layouts"] as const;
const tabs = ["report", "files", "changes", "preview"] as const;

type ListSearch = { kind?: (typeof kinds)[number] | undefined; q?: string | undefined; page?: number | undefined };
type ReleaseSearch = { tab?: (typeof tabs)[number] | undefined; q?: string | undefined; page?: number | undefined; from?: number | undefined };

const listSearch = (raw: Record<string, unknown>): ListSearch => ({ kind: oneOf(kinds, raw.kind), q: phrase(raw.q, 100), page: whole(raw.page) });
const releaseSearch = (raw: Record<string, unknown>): ReleaseSearch => ({ tab: oneOf(tabs, raw.tab), q: phrase(raw.q, 100), page: whole(raw.page), from: whole(raw.from) });

export const websites = [
  createRoute({ getParentRoute: () => shop, path: "websites", validateSearch: listSearch, component: lazyRouteComponent(() => import("./Websites"), "Websites") }),
  createRoute({ getParentRoute: () => shop, path: "websites/$kind/$id", component: lazyRouteComponent(() => import("./Website"), "WebsitePage") }),
  createRoute({ getParentRoute: () => shop, path: "websites/$kind/$id/$release", validateSearch: releaseSearch, component: lazyRouteComponent(() => import("./Release"), "ReleasePage") }),
] as const;
