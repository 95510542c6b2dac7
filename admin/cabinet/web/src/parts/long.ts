import type { ComboboxItem } from "@mantine/core";
import { useMemo, useState, type UIEvent } from "react";

// step is how many options more than fill an open menu.
const step = 10;

// useLong makes the properties of a Select or MultiSelect of thousands of options: it draws the first ones
// that have the typed text, and more as the list is scrolled or walked down. What is chosen comes first.
export function useLong<O extends ComboboxItem>(options: O[], value: string | null | undefined | string[]) {
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(step);
  const chosen = useMemo(() => (value ? options.filter((o) => (Array.isArray(value) ? value.includes(o.value) : value === o.value)) : []), [options, value]);
  const shown = !Array.isArray(value) && search === chosen[0]?.label; // the field of a Select holds the name of what is chosen
  const typed = shown ? "" : search.trim().toLowerCase();
  const found = useMemo(() => (typed ? options.filter((o) => o.label.toLowerCase().includes(typed)) : options), [options, typed]);
  const first = found.slice(0, limit);
  const data = [...chosen.filter((o) => !first.includes(o)), ...first];
  return {
    data,
    searchable: true,
    filter: () => (typed ? first : data),
    onSearchChange: (text: string) => {
      setSearch(text);
      setLimit(step);
    },
    onDropdownClose: () => setLimit(step),
    onKeyDown: (e: { key: string }) => e.key === "ArrowDown" && setLimit((n) => n + 1), // the end stays ahead
    scrollAreaProps: {
      viewportProps: { onScroll: ({ currentTarget: e }: UIEvent<HTMLElement>) => e.scrollTop + 2 * e.clientHeight > e.scrollHeight && setLimit((n) => (n < found.length ? n + step : n)) },
    },
  };
}
