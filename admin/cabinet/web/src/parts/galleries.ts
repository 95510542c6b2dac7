// The galleries of the shop.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../api/client";

export type Gallery = Schemas["CatalogGalleryView"];

export const galleriesQuery = (shop: string, page: number, limit: number) =>
  queryOptions({
    queryKey: [shop, "galleries", page, limit],
    queryFn: ({ signal }) => answer(api.GET("/galleries", { params: { query: { "page.number": page, "page.limit": limit } }, signal })),
    placeholderData: keepPreviousData,
  });
