import { Select, Text, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDrawn } from "../../parts/drawn";
import { treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { rubricsOf } from "./data";

// RubricSelect chooses a rubric from the tree.
export function RubricSelect({ shop, ...props }: { shop: string } & Omit<SelectProps, "data">) {
  const { say } = useWords();
  const { data } = useQuery(treeQuery(shop));
  const rubrics = data ? rubricsOf(data) : [];
  const depth = new Map(rubrics.map((r) => [String(r.section.id), r.depth]));
  return (
    <Select
      {...props}
      data={rubrics.map((r) => ({ value: String(r.section.id), label: r.section.name }))}
      renderOption={({ option }) => (
        <Text size="sm" pl={(depth.get(option.value) ?? 0) * 16} dir="auto">
          {option.label}
        </Text>
      )}
      searchable
      clearable={!props.required}
      clearButtonProps={{ "aria-label": say("clear") }}
      {...useDrawn(200)}
    />
  );
}
