import { Select, Text, type SelectProps } from "@mantine/core";
import { useMemo } from "react";
import { useLong } from "../../parts/long";
import type { SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";

interface Option {
  value: string;
  label: string;
  depth: number;
}

// ParentSelect chooses the section that contains another one, or the top level ("0").
export function ParentSelect({ tree, without, ...props }: { tree: SectionTree; without?: number | undefined } & Omit<SelectProps, "data">) {
  const { say } = useWords(words);
  const options = useMemo(() => {
    const list: Option[] = [{ value: "0", label: say("topLevel"), depth: 0 }];
    const add = (id: number, depth: number) => {
      for (const s of tree.children(id)) {
        if (s.id === without) continue;
        list.push({ value: String(s.id), label: s.name, depth });
        add(s.id, depth + 1);
      }
    };
    add(0, 0);
    return list;
  }, [tree, without, say]);
  return (
    <Select
      {...props}
      renderOption={({ option }) => (
        <Text size="sm" pl={Math.min((option as Option).depth, 6) * 14} dir="auto" lineClamp={2}>
          {option.label}
        </Text>
      )}
      allowDeselect={false}
      {...useLong(options, props.value)}
    />
  );
}
