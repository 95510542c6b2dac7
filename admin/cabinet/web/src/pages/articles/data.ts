// The calls of the pages about articles.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { SectionTree, type Section } from "../../parts/sections";
import { queryOf, type ArticleSearch } from "./search";

export type ItemInput = Schemas["CatalogArticleItemInput"];
export type Page = Schemas["CatalogArticleAnswer"];

export const articlesQuery = (shop: string, search: ArticleSearch, zone: string) =>
  queryOptions({
    queryKey: [shop, "articles", search, zone],
    queryFn: ({ signal }) => answer(api.GET("/articles", { params: { query: queryOf(search, zone) }, signal })),
    placeholderData: keepPreviousData,
  });

export const readArticle = (id: number) => answer(api.GET("/articles/{id}", { params: { path: { id } } }));

export const articleQuery = (shop: string, id: number) =>
  queryOptions({
    queryKey: [shop, "article", id],
    queryFn: () => readArticle(id),
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const saveArticle = (id: number, item: ItemInput, expected_updated_at?: string) =>
  answer(api.PUT("/articles/{id}", { params: { path: { id } }, body: { item, ...(expected_updated_at ? { expected_updated_at } : {}) } }));

export interface Rubric {
  section: Section;
  depth: number; // among rubrics
}

// rubricsOf lists the rubrics, each below its parent.
export function rubricsOf(sections: Section[]): Rubric[] {
  const tree = new SectionTree(sections.filter((s) => !s.is_deleted));
  const list: Rubric[] = [];
  const add = (id: number, depth: number) => {
    for (const section of tree.children(id)) {
      if (section.type === "news") list.push({ section, depth });
      add(section.id, section.type === "news" ? depth + 1 : depth);
    }
  };
  add(0, 0);
  return list;
}
