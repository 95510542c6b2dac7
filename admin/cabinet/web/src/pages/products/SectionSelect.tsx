import { Select, Text, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDrawn } from "../../parts/drawn";
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
      data={sections.data ?? none}
      renderOption={({ option }) => (
        <Text size="sm" pl={(option as SectionOption).depth * 16} dir="auto">
          {option.label}
        </Text>
      )}
      searchable
      clearable
      clearButtonProps={{ "aria-label": say("clear") }}
      {...useDrawn(200)}
    />
  );
}
