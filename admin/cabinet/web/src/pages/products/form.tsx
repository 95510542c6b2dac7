import { createContext, memo, useContext, useMemo, type ComponentType, type ReactNode } from "react";
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

// Part is the form as a panel of it sees it: with the fields that the panel names. text, choice and flag
// are the properties of inputs for them.
export type Part<K extends Field> = Omit<ProductForm, "values" | "faults"> & ReturnType<typeof partOf<K>>;

function partOf<K extends Field>({ values, set, faults, locked }: ProductForm, names: readonly K[], say: Say<WordOf<typeof words>>) {
  return {
    say,
    values: Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Fields, K>,
    faults: Object.fromEntries(names.map((name) => [name, faults[name]])) as Partial<Record<K, string>>,
    text: <N extends K & TextField>(name: N) => ({
      label: say(labels[name]),
      value: values[name],
      onChange: (e: { currentTarget: { value: string } }) => set(name, e.currentTarget.value as Fields[N]),
      error: faults[name],
      readOnly: locked,
      dir: "auto" as const,
    }),
    choice: <N extends K & TextField>(name: N) => ({
      label: say(labels[name]),
      value: values[name] as string,
      onChange: (v: string | null) => set(name, (v ?? "") as Fields[N]),
      error: faults[name],
      readOnly: locked,
      allowDeselect: false,
    }),
    flag: (name: K & ("is_published" | "is_shared")) => ({
      label: say(labels[name]),
      checked: values[name],
      onChange: (e: { currentTarget: { checked: boolean } }) => set(name, e.currentTarget.checked),
      error: faults[name],
      disabled: locked,
    }),
  };
}

// panel makes a component of the form that is drawn again when one of the fields that it names changes:
// with 500 variants, all panels at each letter would be too slow.
export function panel<K extends Field, P = unknown>(names: readonly K[], draw: (props: P & { form: Part<K> }) => ReactNode) {
  const Drawn = memo(draw) as unknown as ComponentType<object>;
  return function Panel(props: Omit<P, "form">) {
    const whole = useContext(FormContext)!;
    const { say } = useWords(words);
    const { values, faults, ...rest } = whole;
    const seen = [say, ...Object.values(rest), ...names.flatMap((name) => [values[name], faults[name]])];
    const form = useMemo(() => ({ ...rest, ...partOf(whole, names, say as Say<WordOf<typeof words>>) }), seen);
    return <Drawn {...props} {...{ form }} />;
  };
}
