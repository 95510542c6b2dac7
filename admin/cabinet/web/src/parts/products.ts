// The products of the shop, for pages that refer to them.
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "../api/client";

// productsByIDQuery reads the products that something refers to, at most 100.
export const productsByIDQuery = (shop: string, ids: number[]) =>
  queryOptions({
    queryKey: [shop, "products", "ids", ids],
    queryFn: async ({ signal }) => (await answer(api.GET("/products", { params: { query: { "filter.ids": ids, "page.number": 1, "page.limit": 100 } }, querySerializer: { array: { style: "form", explode: true } }, signal }))).result.items,
  });
