import { useQueries, useQuery } from "@tanstack/react-query";
import { treeQuery } from "../../parts/sections";
import { productsByIDQuery } from "../../parts/products";
import { groupsQuery } from "./data";
import type { Names } from "./sentence";

const several = 100; // products in one call

// useNames finds what the things are called that a promotion or rule refers to. A thing without a
// name is deleted; until its call is answered it is "…".
export function useNames(shop: string, ids: { products: number[]; sections: string[]; groups?: string[] }): Names {
  const { sections, groups = [] } = ids;
  const products = [...new Set(ids.products)].sort((a, b) => a - b);
  const pages = Array.from({ length: Math.ceil(products.length / several) }, (_, i) => products.slice(i * several, (i + 1) * several));
  const found = useQueries({ queries: pages.map((page) => ({ ...productsByIDQuery(shop, page), staleTime: 30_000 })) });
  const tree = useQuery({ ...treeQuery(shop), enabled: sections.length > 0 });
  const all = useQuery({ ...groupsQuery(shop), enabled: groups.length > 0 });
  const read = found.every((f) => f.data);
  return {
    product: (id) => (read ? found.flatMap((f) => f.data ?? []).find((p) => p.id === id)?.name : "…"),
    section: (id) => (tree.data ? tree.data.find((s) => String(s.id) === id && !s.is_deleted)?.name : "…"),
    group: (id) => (all.data ? all.data.find((g) => g.id === id)?.name : "…"),
  };
}
