// How a person has arranged the list of products in one shop: named views and the columns.
import { useArrangement as useStored, viewsOf, type View } from "../../parts/arrangement";
import { productSearch, type ProductSearch } from "./search";

export interface Arrangement {
  views: View<ProductSearch>[];
  list?: string[]; // the columns that are shown; absent: the usual ones
  grid?: string[];
}

const texts = (v: unknown): string[] | undefined => (Array.isArray(v) ? v.filter((x): x is string => typeof x === "string") : undefined);

function read(stored: Record<string, unknown>): Arrangement {
  const list = texts(stored.list);
  const grid = texts(stored.grid);
  return { views: viewsOf(stored, productSearch), ...(list && { list }), ...(grid && { grid }) };
}

export const useArrangement = (shop: string) => useStored(shop, "products", read);
