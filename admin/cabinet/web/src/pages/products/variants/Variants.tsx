import { ActionIcon, Button, Checkbox, Group, Popover, Stack, TagsInput, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Picture } from "../../../parts/Picture";
import Sheet, { type Cell, type SheetColumn, type SheetRow } from "../../../parts/sheet/Sheet";
import { useWords } from "../../../words";
import { words } from "../../../words/products";
import { panel } from "../form";
import { combined, maxOptions, maxVariants, nameOf, renamed, type Option, type Variant } from "./sets";

const texts = ["title", "sku", "price", "old_price", "quantity", "low", "gtin", "weight", "swatch"] as const;

// Variants makes the variants of a product from its options, and edits them as a table.
export default panel(["options", "variants"], function Variants({ form: { say, values, set, locked, faults, cells } }) {
  const { options, variants } = values;
  const [full, setFull] = useState(false);

  function setValues(name: string, list: string[]) {
    const next = combined(variants, options, name, list);
    setFull(next === null);
    if (!next) return;
    set("variants", next);
    set("options", options.map((o) => (o.name === name ? { ...o, values: list } : o)));
  }
  function rename(from: string, to: string) {
    set("variants", renamed(variants, from, to));
    set("options", options.map((o) => (o.name === from ? { ...o, name: to } : o)));
  }
  function remove(name: string) {
    set("variants", combined(variants, options, name, [])!);
    set("options", options.filter((o) => o.name !== name));
  }

  return (
    <Stack>
      {options.map((o) => (
        <OptionFields
          key={options.indexOf(o)}
          option={o}
          locked={locked}
          taken={options.filter((x) => x !== o).map((x) => x.name)}
          onRename={(name) => rename(o.name, name)}
          onValues={(list) => setValues(o.name, list)}
          onRemove={() => remove(o.name)}
        />
      ))}
      {full && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {say("tooManyVariants", { n: maxVariants })}
        </Text>
      )}
      {!locked && options.length < maxOptions && options.every((o) => o.name) && (
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => set("options", [...options, { name: "", values: [] }])} style={{ alignSelf: "start" }}>
          {say("addOption")}
        </Button>
      )}
      {variants.length > 0 && <Table />}
      {faults.variants && !cells && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {faults.variants}
        </Text>
      )}
    </Stack>
  );
});

function OptionFields({ option, locked, taken, onRename, onValues, onRemove }: { option: Option; locked: boolean; taken: string[]; onRename: (name: string) => void; onValues: (values: string[]) => void; onRemove: () => void }) {
  const { say } = useWords(words);
  const [name, setName] = useState(option.name);
  const typed = name.trim();
  const repeated = taken.includes(typed) && typed !== "";
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      <Group align="flex-start" gap="xs" flex={1} grow preventGrowOverflow={false}>
        <TextInput
          label={say("optionName")}
          placeholder={say("optionExample")}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
          onBlur={() => (typed && !repeated ? onRename(typed) : setName(option.name))}
          error={repeated ? say("optionRepeated") : undefined}
          maxLength={255}
          readOnly={locked}
          dir="auto"
          autoFocus={option.name === ""}
          miw={120}
        />
        <TagsInput
          label={say("optionValues")}
          placeholder={option.values.length ? undefined : say("tagsHint")}
          value={option.values}
          onChange={(v) => onValues(v.map((x) => x.slice(0, 255)))}
          disabled={typed === ""}
          readOnly={locked}
          maxTags={maxVariants}
          miw={200}
        />
      </Group>
      {!locked && (
        <ActionIcon mt={26} size="lg" variant="subtle" color="red" aria-label={`${say("remove")} ${option.name}`} onClick={onRemove}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}

const Table = panel(["variants", "options", "gallery", "stock_by", "price"], function Table({ form: { say, values, set, locked, cells, passport } }) {
  const { variants, options, gallery } = values;
  const counted = values.stock_by === "variant";
  // A row, and a column, stays the same object while what it shows does: the sheet draws the others again.
  const rowOf = useMemo(() => {
    const made = new WeakMap<Variant, SheetRow>();
    return (v: Variant, i: number): SheetRow => {
      let row = made.get(v);
      if (row?.id !== String(i)) made.set(v, (row = { id: String(i), name: nameOf(v, options), image: v.image_id ?? "", active: v.is_active ? say("yes") : say("no"), ...Object.fromEntries(texts.map((k) => [k, v[k]])) }));
      return row;
    };
  }, [options, say]);
  const rows = useMemo(() => variants.map(rowOf), [variants, rowOf]);
  const latest = useRef(variants);
  useLayoutEffect(() => void (latest.current = variants));
  const faultOf = useCallback((row: SheetRow, column: string) => cells?.[`${row.id}.${column}`], [cells]);
  const focusOn = useMemo(() => {
    const [row, column] = Object.keys(cells ?? {})[0]?.split(".") ?? [];
    return row && column ? { row: Number(row), column } : undefined;
  }, [cells]);
  const change = useCallback((row: number, part: Partial<Variant>) => set("variants", latest.current.map((v, i) => (i === row ? { ...v, ...part } : v))), [set]);

  const columns = useMemo(() => {
    const editable = locked ? () => false : () => true;
    const currency = passport.store.currency;
    const column = (key: (typeof texts)[number], name: string, width: number, number = false): SheetColumn => ({ key, name, width, number, editable });
    const list: SheetColumn[] = [
      { key: "name", name: say("variant"), width: 170, frozen: true },
      { key: "image", name: say("picture"), width: 80, render: (row, tabIndex) => <PictureCell row={row} tabIndex={tabIndex} locked={locked} gallery={gallery} onChange={(id) => change(Number(row.id), { image_id: id })} /> },
      { key: "active", name: say("sold"), width: 70, render: (row, tabIndex) => <Checkbox mt={8} aria-label={`${say("sold")}: ${row.name}`} tabIndex={tabIndex} disabled={locked} checked={row.active === say("yes")} onChange={(e) => change(Number(row.id), { is_active: e.currentTarget.checked })} /> },
      { ...column("price", `${say("price")}, ${currency}`, 110, true), render: (row) => row.price || <span className="sheet-locked">{values.price}</span> },
      column("old_price", say("oldPrice"), 110, true),
      ...(counted ? [column("quantity", say("quantity"), 110, true), column("low", say("lowThreshold"), 110, true)] : []),
      column("sku", say("sku"), 150),
      column("gtin", say("gtin"), 150),
      column("weight", say("weight"), 110, true),
      column("title", say("variantTitle"), 150),
      column("swatch", say("swatch"), 110),
    ];
    if (!locked) {
      list.push({ key: "remove", name: "", width: 50, render: (row, tabIndex) => (
        <ActionIcon variant="subtle" color="red" tabIndex={tabIndex} aria-label={`${say("remove")} ${row.name}`} onClick={() => set("variants", latest.current.filter((_, i) => String(i) !== row.id))}>
          <IconX size={16} />
        </ActionIcon>
      ) });
    }
    return list;
  }, [say, locked, passport, gallery, counted, values.price, change, set]);

  function edit(changed: Cell[]) {
    const next = [...variants];
    for (const c of changed) if (next[c.row]) next[c.row] = { ...next[c.row]!, [c.column]: c.text };
    set("variants", next);
  }

  return (
    <>
      <Text size="sm" c="dimmed" aria-live="polite">
        {say("variantsCount", { n: variants.length })}. {say("variantPriceHint")}
      </Text>
      <Sheet label={say("variants")} columns={columns} rows={rows} faultOf={faultOf} onCells={edit} height={480} focusOn={focusOn} />
    </>
  );
});

// PictureCell chooses one of the product's pictures.
function PictureCell({ row, tabIndex, locked, gallery, onChange }: { row: SheetRow; tabIndex: number; locked: boolean; gallery: string[]; onChange: (id: string | null) => void }) {
  const { say } = useWords(words);
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} withinPortal trapFocus>
      <Popover.Target>
        <UnstyledButton tabIndex={tabIndex} disabled={locked} aria-label={`${say("picture")}: ${row.name}`} onClick={() => setOpened((o) => !o)}>
          <Picture id={row.image || null} size={28} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={say("picture")}>
        {gallery.length === 0 && <Text size="sm">{say("noPicturesYet")}</Text>}
        <Group gap="xs" maw={240}>
          {gallery.map((id, i) => (
            <UnstyledButton key={id} aria-label={`${say("picture")} ${i + 1}`} onClick={() => (onChange(id), setOpened(false))}>
              <Picture id={id} size={48} />
            </UnstyledButton>
          ))}
          {row.image && (
            <Button size="compact-sm" variant="subtle" onClick={() => (onChange(null), setOpened(false))}>
              {say("removePicture")}
            </Button>
          )}
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
