import { Select, Text, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLong } from "../../parts/long";
import { treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { rubricsOf } from "./data";

// RubricSelect chooses a rubric from the tree.
export function RubricSelect({ shop, ...props }: { shop: string } & Omit<SelectProps, "data">) {
  const { say } = useWords();
  const { data } = useQuery(treeQuery(shop));
  const rubrics = useMemo(() => (data ? rubricsOf(data).map((r) => ({ value: String(r.section.id), label: r.section.name, depth: r.depth })) : []), [data]);
  return (
    <Select
      {...props}
      renderOption={({ option }) => (
        <Text size="sm" pl={(option as (typeof rubrics)[number]).depth * 16} dir="auto">
          {option.label}
        </Text>
      )}
      clearable={!props.required}
      clearButtonProps={{ "aria-label": say("clear") }}
      {...useLong(rubrics, props.value)}
    />
  );
}
