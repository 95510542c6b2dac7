// How a person has arranged the list of products in one shop: named views and the columns.
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { productSearch, type ProductSearch } from "./search";

export interface View {
  name: string;
  search: ProductSearch;
}

export interface Arrangement {
  views: View[];
  list?: string[]; // the columns that are shown; absent: the usual ones
  grid?: string[];
}

export const maxViews = 50;

const texts = (v: unknown): string[] | undefined => (Array.isArray(v) ? v.filter((x): x is string => typeof x === "string") : undefined);

// read takes what an earlier version of the cabinet stored as far as it makes sense.
function read(stored: unknown): Arrangement {
  const s = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, unknown>;
  const views = (Array.isArray(s.views) ? s.views : []) as { name?: unknown; search?: unknown }[];
  const list = texts(s.list);
  const grid = texts(s.grid);
  return {
    views: views.flatMap((v) => (typeof v?.name === "string" ? [{ name: v.name, search: productSearch((v.search ?? {}) as Record<string, unknown>) }] : [])).slice(0, maxViews),
    ...(list && { list }),
    ...(grid && { grid }),
  };
}

const arrangementQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "views", "products"],
    queryFn: async () => read((await answer(api.GET("/v1/account/views/{page}", { params: { path: { page: "products" } } }))).result),
    staleTime: 60_000,
  });

// useArrangement returns how the page is arranged, and a function that changes it at once and
// stores it.
export function useArrangement(shop: string): [Arrangement, (change: Partial<Arrangement>) => void] {
  const { say } = useWords();
  const queries = useQueryClient();
  const { queryKey } = arrangementQuery(shop);
  const { data } = useQuery(arrangementQuery(shop));
  const store = useMutation({
    mutationFn: (next: Arrangement) => answer(api.PUT("/v1/account/views/{page}", { params: { path: { page: "products" } }, body: next as unknown as Record<string, never> })),
    onError: (error) => {
      failed(say, error);
      void queries.invalidateQueries({ queryKey });
    },
  });
  const now = data ?? { views: [] };
  return [
    now,
    (change) => {
      const next = { ...now, ...change };
      queries.setQueryData(queryKey, next);
      store.mutate(next);
    },
  ];
}
