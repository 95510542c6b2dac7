import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { SectionTree, treeQuery } from "../../../parts/sections";
import { seoLabels } from "../../../parts/seo";
import { SeoFields } from "../../../parts/SeoFields";
import type { Twin } from "../fields";
import { panel, type Part } from "../form";
import { Panel } from "./Panel";

// Seo shows the product as a search engine may, which follows what is typed into its name and description
// at the next pause: text areas that fit their text measure the page each time that they are drawn.
export const Seo = panel(["name", "description"], function Seo({ form: { values } }) {
  const [name] = useDebouncedValue(values.name, 300);
  const [description] = useDebouncedValue(values.description, 300);
  return <SeoPanel name={name} description={description} />;
});

const fields = ["slug", "category_id", ...(Object.keys(seoLabels) as (keyof typeof seoLabels)[])] as const;

const SeoPanel = panel(fields, function SeoPanel({ form, name, description }: { form: Part<(typeof fields)[number]>; name: string; description: string }) {
  const { shop, card, say, text, values, set, faults, locked, passport } = form;
  const { data } = useQuery(treeQuery(shop));
  const tree = useMemo(() => new SectionTree(data ?? []), [data]);
  const section = tree.byID.get(Number(values.category_id ?? 0));
  return (
    <Panel title={say("seo")}>
      <TextInput {...text("slug")} description={say("slugHint")} maxLength={255} />
      <SeoFields
        values={values}
        set={set as Parameters<typeof SeoFields>[0]["set"]}
        faults={faults as Partial<Record<string, string>>}
        locked={locked}
        name={name}
        text={description}
        address={passport.store.storefront_url + (section ? tree.pathOf(section) : "/product") + "/" + (values.slug || card?.slug || "…")}
        alternates={0}
      />
      <Twins />
    </Panel>
  );
});

// Twins are the addresses of the same page in other languages.
const Twins = panel(["alternates"], function Twins({ form: { say, values, set, locked, faults } }) {
  const list = values.alternates;
  const change = (i: number, part: Partial<Twin>) => set("alternates", list.map((t, n) => (n === i ? { ...t, ...part } : t)));
  return (
    <Stack gap="xs" role="group" aria-label={say("alternates")}>
      <Text size="sm">{say("alternates")}</Text>
      {list.map((t, i) => (
        <Group key={i} gap="xs" wrap="nowrap">
          <TextInput aria-label={`${say("languageCode")} ${i + 1}`} placeholder="de" w={80} maxLength={35} value={t.language} onChange={(e) => change(i, { language: e.currentTarget.value })} readOnly={locked} />
          <TextInput aria-label={`${say("slug")} ${i + 1}`} placeholder="https://" flex={1} maxLength={1000} value={t.url} onChange={(e) => change(i, { url: e.currentTarget.value })} readOnly={locked} />
          {!locked && (
            <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")} ${i + 1}`} onClick={() => set("alternates", list.filter((_, n) => n !== i))}>
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {faults.alternates && (
        <Text size="sm" c="var(--mantine-color-error)">
          {faults.alternates}
        </Text>
      )}
      {!locked && list.length < 20 && (
        <Button variant="default" size="xs" leftSection={<IconPlus size={16} />} onClick={() => set("alternates", [...list, { language: "", url: "" }])} style={{ alignSelf: "start" }}>
          {say("add")}
        </Button>
      )}
    </Stack>
  );
});
