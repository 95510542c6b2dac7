import { ActionIcon, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Schemas } from "../../../api/client";
import { Picture } from "../../../parts/Picture";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { productQuery } from "../../products/data";

// Goods are one line of a new order, as it is typed.
export interface Goods {
  product_id: number;
  name: string;
  variants: boolean; // one of them has to be chosen
  variant_id: string;
  quantity: string;
  agreed: string;
}

export const keyOf = (g: Goods) => (g.variant_id ? "v" + g.variant_id : "default");

export function Item({
  shop,
  goods: g,
  quoted,
  money,
  fault,
  onChange,
  onRemove,
}: {
  shop: string;
  goods: Goods;
  quoted: { line: Schemas["CartLineView"] | undefined; pending: boolean } | undefined;
  money: (amount: number) => string;
  fault: (field: string) => string | undefined;
  onChange: (part: Partial<Goods>) => void;
  onRemove: () => void;
}) {
  const { say } = useWords(words);
  const { data: product } = useQuery(productQuery(shop, g.product_id));
  const variants = product?.variants.filter((v) => v.is_active) ?? [];
  const chosen = variants.find((v) => v.id === g.variant_id);
  const needsVariant = variants.length > 0;
  useEffect(() => {
    if (product && needsVariant !== g.variants) onChange({ variants: needsVariant });
    // onChange is new at each render of the form
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [product, needsVariant, g.variants]);
  const line = quoted?.line;
  const left = line?.available;
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap">
      <Picture id={chosen?.image_id ?? product?.preview?.id} size={48} />
      <Stack gap="xs" flex={1} miw={0}>
        <div>
          <Text size="sm" fw={500} dir="auto">
            {g.name}
          </Text>
          <Text size="xs" c="dimmed">
            {line
              ? [line.in_stock ? (left === null ? "" : say("inStock", { n: left ?? 0 })) : say("outOfStock"), line.price.promotion_name].filter(Boolean).join(" · ")
              : quoted && !quoted.pending && (!needsVariant || chosen)
                ? say("notInShop")
                : ""}
          </Text>
        </div>
        <Group gap="xs" align="flex-start">
          {needsVariant && (
            <Select
              label={say("variant")}
              required
              searchable
              flex="1 1 160px"
              data={variants.map((v) => ({ value: v.id, label: v.title || Object.values(v.options).join(", ") || v.sku || v.id }))}
              value={g.variant_id || null}
              allowDeselect={false}
              onChange={(id) => onChange({ variant_id: id ?? "" })}
              error={fault("key")}
            />
          )}
          <TextInput label={say("quantity")} required inputMode="numeric" maxLength={4} w={96} value={g.quantity} onChange={(e) => onChange({ quantity: e.currentTarget.value.trim() })} error={fault("quantity")} />
          <TextInput
            label={say("agreedPrice")}
            placeholder={line && say("agreedHint", { price: money(line.price.price) })}
            inputMode="decimal"
            maxLength={20}
            flex="1 1 140px"
            value={g.agreed}
            onChange={(e) => onChange({ agreed: e.currentTarget.value })}
            error={fault("agreed_price")}
          />
        </Group>
        {!needsVariant && fault("key") && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fault("key")}
          </Text>
        )}
      </Stack>
      <Stack gap={2} align="flex-end">
        <Text size="sm" fw={500} style={{ whiteSpace: "nowrap" }}>
          {line && !g.agreed.trim() ? money(line.total) : ""}
        </Text>
        <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")}: ${g.name}`} onClick={onRemove}>
          <IconX size={16} />
        </ActionIcon>
      </Stack>
    </Group>
  );
}
