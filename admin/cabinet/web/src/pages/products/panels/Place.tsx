import { MultiSelect, Switch, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { momentField } from "../../../parts/dates";
import { useLong } from "../../../parts/long";
import { sectionOptions, treeQuery, type SectionOption } from "../../../parts/sections";
import { panel } from "../form";
import { SectionSelect } from "../SectionSelect";
import { Panel } from "./Panel";

// Place is where the product is shown, and whether.
export const Place = panel(["is_published", "published_at", "category_id", "categories"], function Place({ form: { shop, say, text, flag, values, set, locked, faults } }) {
  const sections = useQuery({ ...treeQuery(shop), select: sectionOptions });
  const others = useMemo(() => (sections.data ?? []).filter((o) => o.value !== values.category_id), [sections.data, values.category_id]);
  return (
    <Panel>
      <Switch {...flag("is_published")} />
      <TextInput {...text("published_at")} {...momentField} description={say("publishedAtHint")} dir="ltr" />
      <SectionSelect shop={shop} label={say("section")} readOnly={locked} error={faults.category_id} value={values.category_id} onChange={(v) => set("category_id", v)} placeholder={say("noSection")} />
      <MultiSelect
        label={say("moreSections")}
        renderOption={({ option }) => (
          <Text size="sm" pl={(option as SectionOption).depth * 16} dir="auto">
            {option.label}
          </Text>
        )}
        value={values.categories}
        onChange={(v) => set("categories", v)}
        readOnly={locked}
        maxValues={100}
        {...useLong(others, values.categories)}
      />
    </Panel>
  );
});
