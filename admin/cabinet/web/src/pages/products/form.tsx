import { createContext, useContext } from "react";
import type { Passport } from "../../frame/session";
import { useWords, type Say, type WordOf } from "../../words";
import { seoLabels } from "../../parts/seo";
import { words } from "../../words/products";
import type { Faults } from "../../parts/EditForm";
import type { Card, Field, Fields } from "./fields";

export interface ProductForm {
  shop: string;
  card: Card | undefined;
  passport: Passport;
  locked: boolean;
  values: Fields;
  set: <K extends Field>(name: K, value: Fields[K]) => void;
  faults: Faults;
  cells: Record<string, string> | undefined; // refused cells of the variants, by "row.column"
}

export const FormContext = createContext<ProductForm | null>(null);

export const labels: Record<Field, WordOf<typeof words>> = {
  name: "productName",
  description: "description",
  price: "price",
  old_price: "oldPrice",
  category_id: "section",
  categories: "moreSections",
  is_published: "published",
  published_at: "publishedAt",
  is_shared: "shared",
  catalog_hidden: "catalogHidden",
  comments_enabled: "reviews",
  questions_enabled: "questions",
  configurable: "configurable",
  sku: "sku",
  gtin: "gtin",
  brand: "brand",
  weight_g: "weight",
  country_of_origin: "country",
  tax_class: "taxClass",
  tags: "tags",
  gallery: "pictures",
  gallery_ids: "galleries",
  preview_id: "cover",
  kind: "kind",
  combo_items: "comboItems",
  combo_percent: "comboPercent",
  attributes: "attributes",
  stock_by: "stockBy",
  quantity: "quantity",
  low_threshold: "lowThreshold",
  options: "options",
  variants: "variants",
  slug: "slug",
  ...seoLabels,
  alternates: "alternates",
};

type TextField = { [K in Field]: Fields[K] extends string ? K : never }[Field];

// useForm returns the form that a panel belongs to. text, choice and flag are the properties of
// inputs for its fields.
export function useForm() {
  const form = useContext(FormContext)!;
  const { say, language } = useWords(words);
  const { values, set, faults, locked } = form;
  return {
    ...form,
    say: say as Say<WordOf<typeof words>>,
    language,
    text: <K extends TextField>(name: K) => ({
      label: say(labels[name]),
      value: values[name],
      onChange: (e: { currentTarget: { value: string } }) => set(name, e.currentTarget.value as Fields[K]),
      error: faults[name],
      readOnly: locked,
      dir: "auto" as const,
    }),
    choice: <K extends TextField>(name: K) => ({
      label: say(labels[name]),
      value: values[name] as string,
      onChange: (v: string | null) => set(name, (v ?? "") as Fields[K]),
      error: faults[name],
      readOnly: locked,
      allowDeselect: false,
    }),
    flag: (name: "is_published" | "is_shared") => ({
      label: say(labels[name]),
      checked: values[name],
      onChange: (e: { currentTarget: { checked: boolean } }) => set(name, e.currentTarget.checked),
      error: faults[name],
      disabled: locked,
    }),
  };
}
