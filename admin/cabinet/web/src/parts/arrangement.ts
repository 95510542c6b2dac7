// How a person has arranged a list in one shop: named views, and what else its page keeps.
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../api/client";
import { useWords } from "../words";
import { failed } from "./notice";

export interface View<S> {
  name: string;
  search: S;
}

export const maxViews = 50;

// viewsOf takes the views that an earlier version of the cabinet stored as far as they make sense.
export function viewsOf<S>(stored: Record<string, unknown>, searchOf: (raw: Record<string, unknown>) => S): View<S>[] {
  const views = (Array.isArray(stored.views) ? stored.views : []) as { name?: unknown; search?: unknown }[];
  return views.flatMap((v) => (typeof v?.name === "string" ? [{ name: v.name, search: searchOf((v.search ?? {}) as Record<string, unknown>) }] : [])).slice(0, maxViews);
}

// useArrangement returns how a page is arranged, as read makes it from what is stored, and a function
// that changes it at once and stores it.
export function useArrangement<A extends object>(shop: string, page: string, read: (stored: Record<string, unknown>) => A): [A, (change: Partial<A>) => void] {
  const { say } = useWords();
  const queries = useQueryClient();
  const arrangement = queryOptions({
    queryKey: [shop, "views", page],
    queryFn: async () => read(((await answer(api.GET("/v1/account/views/{page}", { params: { path: { page } } }))).result ?? {}) as Record<string, unknown>),
    staleTime: 60_000,
  });
  const { data } = useQuery(arrangement);
  const store = useMutation({
    mutationFn: (next: A) => answer(api.PUT("/v1/account/views/{page}", { params: { path: { page } }, body: next as Record<string, never> })),
    onError: (error) => {
      failed(say, error);
      void queries.invalidateQueries({ queryKey: arrangement.queryKey });
    },
  });
  const now = data ?? read({});
  return [
    now,
    (change) => {
      const next = { ...now, ...change };
      queries.setQueryData(arrangement.queryKey, next);
      store.mutate(next);
    },
  ];
}
