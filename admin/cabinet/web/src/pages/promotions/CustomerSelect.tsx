import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useWords } from "../../words";
import { words } from "../../words/promotions";

export type Customer = Schemas["CustomerView"];

export const customerName = (c: Customer) => [c.name, c.email || c.phone].filter(Boolean).join(" · ") || c.id;

// CustomerSelect finds a customer by name, email or phone.
export function CustomerSelect({ shop, label, onChoose }: { shop: string; label: string; onChoose: (customer: Customer) => void }) {
  const { say } = useWords(words);
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({
    queryKey: [shop, "customers", "select", asked],
    queryFn: async ({ signal }) => (await answer(api.GET("/customers", { params: { query: { "filter.query": asked.slice(0, 200), "page.number": 1, "page.limit": 20 } }, signal }))).result.items,
    enabled: asked !== "",
  });
  const items = found.data ?? [];
  return (
    <Select
      label={label}
      placeholder={say("findCustomer")}
      data={items.map((c) => ({ value: c.id, label: customerName(c) }))}
      filter={({ options }) => options}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={asked && !found.isFetching ? say("nothingFound") : undefined}
      value={null}
      onChange={(id) => {
        const customer = items.find((c) => c.id === id);
        if (customer) onChoose(customer);
        setText("");
      }}
    />
  );
}
