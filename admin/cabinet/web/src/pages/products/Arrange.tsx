import { ActionIcon, Checkbox, Popover, Stack } from "@mantine/core";
import { IconColumns } from "@tabler/icons-react";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { useArrangement } from "./arrangement";
import { gridColumns, listColumns, shownColumns } from "./columns";
import type { ProductSearch } from "./search";

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
