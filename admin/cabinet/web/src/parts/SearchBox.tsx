import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useWords } from "../words";

// SearchBox is the search field of a list whose search is in the address.
export function SearchBox({ value, onSearch }: { value: string; onSearch: (q: string) => void }) {
  const { say } = useWords();
  const [text, setText] = useState(value);
  const search = useDebouncedCallback(onSearch, 250);
  useEffect(() => setText(value), [value]); // Back and links change the address
  return (
    <TextInput
      aria-label={say("search")}
      placeholder={say("search")}
      leftSection={<IconSearch size={16} />}
      type="search"
      maxLength={200}
      value={text}
      onChange={(e) => {
        setText(e.currentTarget.value);
        search(e.currentTarget.value.trim());
      }}
      flex="1 1 220px"
    />
  );
}
