import { Autocomplete, Text, type AutocompleteProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { SectionTree, treeQuery } from "./sections";

// TargetField is a field for where a redirect leads: it offers the sections of the shop.
export function TargetField({ shop, ...field }: { shop: string } & AutocompleteProps) {
  const tree = useQuery(treeQuery(shop));
  const sections = new SectionTree((tree.data ?? []).filter((s) => !s.is_deleted && s.is_published));
  const names = new Map(sections.list.map((s) => [sections.pathOf(s), s.name]));
  return (
    <Autocomplete
      data={[...names.keys()]}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" dir="auto">
            {names.get(option.value)}
          </Text>
          <Text size="xs" dir="ltr">
            {option.value}
          </Text>
        </div>
      )}
      filter={({ options, search }) => options.filter((o) => "value" in o && `${o.value} ${names.get(o.value)}`.toLowerCase().includes(search.trim().toLowerCase()))}
      limit={50}
      required
      dir="ltr"
      {...field}
    />
  );
}
