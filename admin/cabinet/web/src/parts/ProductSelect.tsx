import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../api/client";
import { useWords } from "../words";

// ProductSelect finds a product by its name or SKU, to add it to something.
export function ProductSelect({ shop, label, without, error, onChoose }: { shop: string; label: string; without: number[]; error?: string | undefined; onChoose: (id: number, name: string) => void }) {
  const { say } = useWords();
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({
    queryKey: [shop, "products", "select", asked],
    queryFn: async ({ signal }) => (await answer(api.GET("/products", { params: { query: { "filter.query": asked.slice(0, 255), "page.number": 1, "page.limit": 20 } }, signal }))).result.items,
    enabled: asked !== "",
  });
  const items = (found.data ?? []).filter((p) => !without.includes(p.id));
  return (
    <Select
      aria-label={label}
      placeholder={label}
      error={error}
      data={items.map((p) => ({ value: String(p.id), label: p.sku ? `${p.name} · ${p.sku}` : p.name }))}
      filter={({ options }) => options}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={asked && !found.isFetching ? say("nothingFound") : undefined}
      value={null}
      onChange={(id) => {
        const product = items.find((p) => String(p.id) === id);
        if (product) onChoose(product.id, product.name);
        setText("");
      }}
    />
  );
}
