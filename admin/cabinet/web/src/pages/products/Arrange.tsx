import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { IconBookmark, IconColumns, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { AnchorLink } from "../../parts/links";
import { told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { maxViews, useArrangement, type View } from "./arrangement";
import { gridColumns, listColumns, shownColumns } from "./columns";
import type { ProductSearch } from "./search";

const address = (s: ProductSearch) => JSON.stringify(Object.entries({ ...s, page: undefined }).filter(([, v]) => v !== undefined).sort());

// Views keeps the filters, order and view that the list has now under a name.
export function Views({ shop, search }: { shop: string; search: ProductSearch }) {
  const { say } = useWords(words);
  const [{ views }, change] = useArrangement(shop);
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  const current = views.find((v) => address(v.search) === address(search));
  const typed = name.trim();
  function add() {
    if (!typed) return;
    change({ views: [...views.filter((v) => v.name !== typed), { name: typed, search: { ...search, page: undefined } }].slice(-maxViews) });
    setName("");
    setOpened(false);
  }
  function remove(view: View) {
    change({ views: views.filter((v) => v !== view) });
    told(say, say("viewRemoved", { name: view.name }), async () => change({ views }));
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withinPortal width={300} position="bottom-end">
      <Popover.Target>
        <Button variant="default" leftSection={<IconBookmark size={16} />} onClick={() => setOpened((o) => !o)} maw={220}>
          {current?.name ?? say("views")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={say("views")}>
        <Stack gap="xs">
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              {say("noViews")}
            </Text>
          )}
          {views.map((v) => (
            <Group key={v.name} justify="space-between" wrap="nowrap" gap="xs">
              <AnchorLink to="/$shop/products" params={{ shop }} search={v.search} size="sm" dir="auto" fw={v === current ? 600 : 400} onClick={() => setOpened(false)}>
                {v.name}
              </AnchorLink>
              <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")} ${v.name}`} onClick={() => remove(v)}>
                <IconX size={16} />
              </ActionIcon>
            </Group>
          ))}
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <TextInput label={say("viewName")} flex={1} maxLength={60} value={name} onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && add()} dir="auto" />
            <Button onClick={add} disabled={!typed}>
              {say("save")}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

// Columns chooses the columns of the list or of the grid.
export function Columns({ shop, search }: { shop: string; search: ProductSearch }) {
  const { say } = useWords(words);
  const [arrangement, change] = useArrangement(shop);
  const of = search.view ?? "list";
  const all = of === "grid" ? gridColumns : listColumns;
  const shown = shownColumns(arrangement, of);
  return (
    <Popover trapFocus withinPortal position="bottom-end">
      <Popover.Target>
        <ActionIcon variant="default" size={36} aria-label={say("columns")} title={say("columns")}>
          <IconColumns size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={say("columns")}>
        <Stack gap="xs">
          {Object.entries(all).map(([key, word]) => (
            <Checkbox key={key} label={say(word)} checked={shown.has(key)} onChange={(e) => change({ [of]: Object.keys(all).filter((k) => (k === key ? e.currentTarget.checked : shown.has(k))) })} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
