import { answer, api, Refusal } from "../../../api/client";
import { reasonOf } from "../fields";
import type { Product } from "../search";
import { columnOf, writtenOf, type Cells, type ColumnKey, type Sheets, type Written } from "./columns";

// Faults are refusals by "id.column".
export type GridFaults = Record<string, string>;

export interface Saved {
  accepted: Map<number, Written>;
  faults: GridFaults;
}

const productsPerCall = 100;
const stocksPerCall = 500;

// callsOf are the bodies of the calls that save the cells.
export function callsOf(cells: Cells, products: Map<number, Product>, sheets: Sheets) {
  const written = new Map(Object.entries(cells).map(([id, typed]) => [Number(id), writtenOf(typed, sheets)]));
  const items = [...written].filter(([, w]) => Object.keys(w.item).length > 0).map(([id, w]) => ({ ...w.item, id }));
  const stock = [...written].flatMap(([id, w]) => (w.quantity === undefined ? [] : [{ product_id: id, quantity: w.quantity, expected_quantity: products.get(id)?.stock_quantity ?? null }]));
  const inParts = <T,>(list: T[], size: number) => Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
  return { written, edits: inParts(items, productsPerCall), stocks: inParts(stock, stocksPerCall) };
}

// save writes the cells with as few calls as there can be. What is refused, product by product, and
// what is in a call that failed, is told in faults; the rest is accepted.
export async function save(cells: Cells, products: Map<number, Product>, sheets: Sheets, explain: (error: unknown) => string): Promise<Saved> {
  const { written, edits, stocks } = callsOf(cells, products, sheets);
  const accepted = new Map<number, Written>();
  const faults: GridFaults = {};
  for (const [id, w] of written) for (const [column, fault] of Object.entries(w.faults)) faults[`${id}.${column}`] = fault;
  const accept = (id: number, part: Partial<Written>) => accepted.set(id, { item: {}, quantity: undefined, faults: {}, ...accepted.get(id), ...part });
  const refuse = (id: number, place: string | undefined, why: string) => (faults[`${id}.${columnOf(place, cells[id]!)}`] ??= why);
  // all refuses what is in a call that failed as a whole.
  async function attempt(ids: number[], call: () => Promise<void>, column?: ColumnKey) {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      for (const id of ids) refuse(id, column, explain(error));
    }
  }
  for (const items of edits) {
    await attempt(items.map((i) => i.id), async () => {
      const done = await answer(api.PATCH("/products/batch", { body: { items } }));
      for (const r of done.results) {
        const item = items[r.index]!;
        if (r.error) refuse(item.id, r.place, reasonOf(sheets.say, { code: r.error, detail: r.detail }));
        else accept(item.id, { item });
      }
    });
  }
  for (const items of stocks) {
    await attempt(items.map((i) => i.product_id), async () => {
      const done = await answer(api.PUT("/products/batch/stock", { body: { items } }));
      for (const [i, r] of done.results.entries()) {
        if (r.error) refuse(r.product_id, "quantity", reasonOf(sheets.say, r));
        else accept(r.product_id, { quantity: items[i]!.quantity });
      }
    }, "quantity");
  }
  return { accepted, faults };
}

// withSaved is the product after the save.
export function withSaved(p: Product, w: Written): Product {
  const { item, quantity } = w;
  const price = { ...p.price, ...item.price } as Product["price"];
  return { ...p, ...(item as Partial<Product>), price, ...(quantity !== undefined && { stock_quantity: quantity < 0 ? null : quantity, in_stock: quantity !== 0 }) };
}
