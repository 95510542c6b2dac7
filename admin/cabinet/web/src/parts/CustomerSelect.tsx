import { answer, api, type Schemas } from "../api/client";
import { FoundSelect } from "./FoundSelect";

export type Customer = Schemas["CustomerView"];

export const customerName = (c: Customer) => [c.name, c.email, c.phone].filter(Boolean).join(" · ") || c.id;

// CustomerSelect finds a customer by name, email or phone.
export function CustomerSelect({ shop, label, placeholder, onChoose }: { shop: string; label?: string; placeholder: string; onChoose: (customer: Customer) => void }) {
  return (
    <FoundSelect
      shop={shop}
      things="customers"
      label={label}
      placeholder={placeholder}
      find={async (text, signal) => (await answer(api.GET("/customers", { params: { query: { "filter.query": text, "page.number": 1, "page.limit": 20 } }, signal }))).result.items}
      idOf={(c) => c.id}
      nameOf={customerName}
      onChoose={onChoose}
    />
  );
}
