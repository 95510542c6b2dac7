// What the list of articles shows is in its address, so that a link shows the same.
import type { Schemas } from "../../api/client";
import { day, oneOf, phrase, whole } from "../../parts/address";
import { startOfDay } from "../../parts/dates";

export type Article = Schemas["CatalogArticleView"];
export type State = "published" | "scheduled" | "hidden" | "deleted";

export interface ArticleSearch {
  q?: string;
  rubric?: number;
  state?: State;
  from?: string; // days such as 2026-11-30
  to?: string;
  sort?: "popular";
  page?: number;
}

export function articleSearch(raw: Record<string, unknown>): ArticleSearch {
  return {
    q: phrase(raw.q, 100),
    rubric: whole(raw.rubric),
    state: oneOf(["published", "scheduled", "hidden", "deleted"], raw.state),
    from: day(raw.from),
    to: day(raw.to),
    sort: oneOf(["popular"], raw.sort),
    page: whole(raw.page),
  };
}

export const pageSize = 50;

// queryOf is the query of GET /articles for a search; days are those of the shop's time zone.
export function queryOf(s: ArticleSearch, zone: string) {
  return {
    query: s.q,
    category_id: s.rubric,
    include_subtree: s.rubric ? true : undefined,
    "filter.state": s.state === "deleted" ? undefined : s.state,
    "filter.is_deleted": s.state === "deleted" ? true : undefined,
    "filter.since": startOfDay(s.from, zone),
    "filter.until": startOfDay(s.to, zone, 1),
    sort: s.sort,
    "page.number": s.page ?? 1,
    "page.limit": pageSize,
  };
}

export function stateOf(a: Pick<Article, "is_deleted" | "is_published" | "published_at">): State {
  if (a.is_deleted) return "deleted";
  if (!a.is_published) return "hidden";
  return a.published_at && Date.parse(a.published_at) > Date.now() ? "scheduled" : "published";
}
