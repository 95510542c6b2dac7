import { Input, MultiSelect, Pill, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLong } from "../../parts/long";
import { ProductSelect } from "../../parts/ProductSelect";
import { sectionOptions, treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import type { Names } from "./sentence";

// Products chooses products; those that were deleted stand among them until they are taken out.
export function Products({ shop, label, value, names, locked, error, onChange }: { shop: string; label: string; value: number[]; names: Names; locked: boolean; error?: string | undefined; onChange: (ids: number[]) => void }) {
  const { say } = useWords(words);
  return (
    <Stack gap={6} role="group" aria-label={label}>
      <Input.Label labelElement="div">{label}</Input.Label>
      {value.length > 0 && (
        <Pill.Group mah={160} style={{ overflowY: "auto" }}>
          {value.map((id) => {
            const name = names.product(id) ?? say("deletedProduct", { id });
            return (
              <Pill key={id} size="md" withRemoveButton={!locked} onRemove={() => onChange(value.filter((other) => other !== id))} removeButtonProps={{ "aria-label": `${say("remove")}: ${name}`, "aria-hidden": undefined, tabIndex: 0 }} maw="100%">
                <span dir="auto">{name}</span>
              </Pill>
            );
          })}
        </Pill.Group>
      )}
      {!locked && <ProductSelect shop={shop} label={say("findProduct")} without={value} error={error} onChoose={(id) => onChange([...value, id])} />}
    </Stack>
  );
}

// Sections chooses sections of products.
export function Sections({ shop, value, locked, error, onChange }: { shop: string; value: string[]; locked: boolean; error?: string | undefined; onChange: (ids: string[]) => void }) {
  const { say } = useWords(words);
  const tree = useQuery(treeQuery(shop));
  const options = useMemo(() => {
    const known = sectionOptions(tree.data ?? []);
    const gone = tree.data ? value.filter((id) => !known.some((o) => o.value === id)).map((id) => ({ value: id, label: say("deletedSection", { id }), depth: 0 })) : [];
    return [...known, ...gone];
  }, [tree.data, value, say]);
  return (
    <MultiSelect
      label={say("sections")}
      renderOption={({ option }) => (
        <Text size="sm" pl={(option as (typeof options)[number]).depth * 16} dir="auto">
          {option.label}
        </Text>
      )}
      value={value}
      onChange={onChange}
      error={error}
      readOnly={locked}
      {...useLong(options, value)}
      nothingFoundMessage={say("nothingFound")}
    />
  );
}
