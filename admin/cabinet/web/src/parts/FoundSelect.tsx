import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWords } from "../words";

interface Props<T> extends Pick<SelectProps, "label" | "placeholder" | "error"> {
  shop: string;
  things: string; // what is found, for the cache
  find: (text: string, signal: AbortSignal) => Promise<T[]>;
  left?: (item: T) => boolean; // whether it can be chosen
  idOf: (item: T) => string;
  nameOf: (item: T) => string;
  onChoose: (item: T) => void;
}

// FoundSelect finds things by what is typed, to add one of them to something.
export function FoundSelect<T>({ shop, things, find, left = () => true, idOf, nameOf, onChoose, ...select }: Props<T>) {
  const { say } = useWords();
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), 200);
  const found = useQuery({ queryKey: [shop, things, "select", asked], queryFn: ({ signal }) => find(asked.slice(0, 100), signal), enabled: asked !== "" });
  const items = (found.data ?? []).filter(left);
  return (
    <Select
      {...select}
      aria-label={select.label ? undefined : select.placeholder}
      data={items.map((item) => ({ value: idOf(item), label: nameOf(item) }))}
      filter={({ options }) => options}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={asked && !found.isFetching ? say("nothingFound") : undefined}
      value={null}
      onChange={(id) => {
        const item = items.find((item) => idOf(item) === id);
        if (item) onChoose(item);
        setText("");
      }}
    />
  );
}
