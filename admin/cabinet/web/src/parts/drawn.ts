import { useDeferredValue, useState } from "react";

// few options fill an open menu.
const few = 10;

// useDrawn opens a long list of options at once: its first options are drawn with the menu, the others, up
// to most of them, when the browser has time. It returns properties for a Select.
export function useDrawn(most: number) {
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState(false);
  const now = opened ? "of " + search : undefined;
  const settled = useDeferredValue(now);
  return {
    limit: now !== undefined && settled === now ? most : few,
    onSearchChange: setSearch,
    onDropdownOpen: () => setOpened(true),
    onDropdownClose: () => setOpened(false),
  };
}
