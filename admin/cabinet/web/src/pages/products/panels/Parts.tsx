import { ActionIcon, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { productsByIDQuery } from "../../../parts/products";
import { ProductSelect } from "../../../parts/ProductSelect";
import { productQuery } from "../data";
import type { ComboPart } from "../fields";
import { useWords } from "../../../words";
import { words } from "../../../words/products";
import { panel } from "../form";
import { nameOf, variantsOf } from "../variants/sets";

// Parts are the products of a set.
export default panel(["combo_items", "combo_percent"], function Parts({ form: { shop, card, say, text, values, set, locked, faults } }) {
  const parts = values.combo_items;
  const names = useQuery({ ...productsByIDQuery(shop, parts.map((p) => p.product_id)), enabled: parts.length > 0 });
  const change = (i: number, part: Partial<ComboPart>) => set("combo_items", parts.map((p, n) => (n === i ? { ...p, ...part } : p)));
  return (
    <Stack gap="xs">
      {parts.map((part, i) => {
        const product = names.data?.find((p) => p.id === part.product_id);
        const name = product?.name ?? `№ ${part.product_id}`;
        return (
          <Group key={i} gap="xs" wrap="nowrap" align="flex-start">
            <Stack gap={2} flex={1} miw={0}>
              <Text size="sm" dir="auto">
                {name}
              </Text>
              {product?.stock_by === "variant" && <PartVariant shop={shop} locked={locked} part={part} name={name} onChange={(variant_id) => change(i, { variant_id })} />}
            </Stack>
            <TextInput
              aria-label={`${say("quantity")}: ${name}`}
              w={70}
              inputMode="numeric"
              maxLength={6}
              value={part.quantity || ""}
              onChange={(e) => /^\d*$/.test(e.currentTarget.value) && change(i, { quantity: Number(e.currentTarget.value) })}
              readOnly={locked}
            />
            {!locked && (
              <ActionIcon size="lg" variant="subtle" color="red" aria-label={`${say("remove")} ${name}`} onClick={() => set("combo_items", parts.filter((_, n) => n !== i))}>
                <IconX size={16} />
              </ActionIcon>
            )}
          </Group>
        );
      })}
      {faults.combo_items && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {faults.combo_items}
        </Text>
      )}
      {!locked && parts.length < 20 && (
        <ProductSelect shop={shop} label={say("addPart")} without={card ? [card.id] : []} onChoose={(product_id) => set("combo_items", [...parts, { product_id, variant_id: "", quantity: 1 }])} />
      )}
      <TextInput {...text("combo_percent")} inputMode="decimal" rightSection="%" maxLength={6} dir="ltr" />
    </Stack>
  );
});

function PartVariant({ shop, locked, part, name, onChange }: { shop: string; locked: boolean; part: ComboPart; name: string; onChange: (id: string) => void }) {
  const { say } = useWords(words);
  const product = useQuery(productQuery(shop, part.product_id));
  return (
    <Select
      aria-label={`${say("variant")}: ${name}`}
      placeholder={say("variant")}
      data={variantsOf(product.data?.variants ?? [], 0).map((v) => ({ value: v.id, label: nameOf(v) || v.sku || v.id }))}
      value={part.variant_id || null}
      onChange={(id) => onChange(id ?? "")}
      readOnly={locked}
      searchable
    />
  );
}
