import { Select, Text, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLong } from "../../parts/long";
import { sectionOptions, treeQuery, type SectionOption } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/products";

const none: SectionOption[] = [];

// SectionSelect chooses a section of products from the tree.
export function SectionSelect({ shop, ...props }: { shop: string } & Omit<SelectProps, "data">) {
  const { say } = useWords(words);
  const sections = useQuery({ ...treeQuery(shop), select: sectionOptions });
  return (
    <Select
      {...props}
      renderOption={({ option }) => (
        <Text size="sm" pl={(option as SectionOption).depth * 16} dir="auto">
          {option.label}
        </Text>
      )}
      clearable
      clearButtonProps={{ "aria-label": say("clear") }}
      {...useLong(sections.data ?? none, props.value)}
    />
  );
}
