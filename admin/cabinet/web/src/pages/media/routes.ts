import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shop } from "../../frame/roots";
import { oneOf, phrase, whole } from "../../parts/address";
import { kinds, type FileSearch } from "../../parts/library";

export interface LibrarySearch extends FileSearch {
  view?: "list";
}

function librarySearch(raw: Record<string, unknown>): LibrarySearch {
  const folder = phrase(raw.folder, 20);
  return { q: phrase(raw.q), kind: oneOf(kinds, raw.kind), folder: /^\d+$/.test(folder ?? "") ? folder : undefined, page: whole(raw.page), view: oneOf(["list"], raw.view) };
}

export const media = [
  createRoute({ getParentRoute: () => shop, path: "files", validateSearch: librarySearch, component: lazyRouteComponent(() => import("./Files"), "Files") }),
  createRoute({ getParentRoute: () => shop, path: "files/$id", component: lazyRouteComponent(() => import("./File"), "File") }),
  createRoute({
    getParentRoute: () => shop,
    path: "files/galleries",
    validateSearch: (raw: Record<string, unknown>): { page?: number } => ({ page: whole(raw.page) }),
    component: lazyRouteComponent(() => import("./Galleries"), "Galleries"),
  }),
  createRoute({ getParentRoute: () => shop, path: "files/galleries/$id", component: lazyRouteComponent(() => import("./Gallery"), "Gallery") }),
] as const;
