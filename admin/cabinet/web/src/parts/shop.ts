// The shop's settings and members, for all pages that show or change them.
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "../api/client";

export const settingsQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "settings"],
    queryFn: async () => (await answer(api.GET("/v1/shop/settings", {}))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

export const membersQuery = (shop: string) =>
  queryOptions({ queryKey: [shop, "team"], queryFn: async ({ signal }) => answer(api.GET("/v1/orgs/current/members", { signal })) });
