// The columns that a person can show or hide; the name is always there.
import type { WordOf } from "../../words";
import type { words } from "../../words/products";
import type { Arrangement } from "./arrangement";
import type { ColumnKey } from "./grid/columns";

type Titles<K extends string> = Record<K, WordOf<typeof words>>;

export type ListColumn = "sku" | "price" | "old_price" | "stock" | "section" | "brand" | "updated" | "state";

export const listColumns: Titles<ListColumn> = { sku: "sku", price: "price", old_price: "oldPrice", stock: "stock", section: "section", brand: "brand", updated: "updated", state: "state" };
export const gridColumns: Titles<Exclude<ColumnKey, "name">> = {
  sku: "sku", price: "price", old_price: "oldPrice", quantity: "stock", section: "section", published: "published", brand: "brand", gtin: "gtin", weight: "weight", tags: "tags",
};

const usual = { list: ["sku", "price", "stock", "state"], grid: Object.keys(gridColumns) };

export function shownColumns(arrangement: Arrangement, of: "list" | "grid"): Set<string> {
  return new Set(arrangement[of] ?? usual[of]);
}
