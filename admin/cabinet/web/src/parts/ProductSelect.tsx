import { answer, api } from "../api/client";
import { FoundSelect } from "./FoundSelect";

// ProductSelect finds a product by its name or SKU, to add it to something.
export function ProductSelect({ shop, label, without, error, onChoose }: { shop: string; label: string; without: number[]; error?: string | undefined; onChoose: (id: number, name: string) => void }) {
  return (
    <FoundSelect
      shop={shop}
      things="products"
      placeholder={label}
      error={error}
      find={async (text, signal) => (await answer(api.GET("/products", { params: { query: { "filter.query": text, "page.number": 1, "page.limit": 20 } }, signal }))).result.items}
      left={(p) => !without.includes(p.id)}
      idOf={(p) => String(p.id)}
      nameOf={(p) => [p.name, p.sku].filter(Boolean).join(" · ")}
      onChoose={(p) => onChoose(p.id, p.name)}
    />
  );
}
