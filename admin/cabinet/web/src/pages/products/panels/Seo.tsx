import { ActionIcon, Button, Group, Paper, Stack, Switch, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { Pictures } from "../../../parts/Pictures";
import type { Twin } from "../fields";
import { useForm } from "../form";
import { Panel } from "./Panel";

export function Seo() {
  const { say, text } = useForm();
  return (
    <Panel title={say("seo")}>
      <Preview />
      <TextInput {...text("slug")} description={say("slugHint")} maxLength={255} />
      <TextInput {...text("meta_title")} maxLength={1000} />
      <Textarea {...text("meta_description")} autosize minRows={2} maxRows={8} maxLength={1000} />
      <Panel title={say("moreSeo")} folds={["page_title", "meta_keywords", "og_image_id", "og_image_url", "noindex", "nofollow", "alternates"]}>
        <More />
      </Panel>
    </Panel>
  );
}

// plain is the text of a description without its marks.
function plain(html: string): string {
  return new DOMParser().parseFromString(html, "text/html").body.textContent.replace(/\s+/g, " ").trim();
}

// Preview shows how the page looks among the results of a search engine.
function Preview() {
  const { say, values, passport, card } = useForm();
  const title = values.meta_title.trim() || values.name.trim() || say("productName");
  const about = values.meta_description.trim() || plain(values.description);
  return (
    <Paper withBorder p="sm" component="figure" m={0} aria-label={say("seoPreview")}>
      <Text size="xs" c="dimmed" truncate dir="ltr">
        {passport.store.storefront_url}/…/{values.slug || card?.slug || "…"}
      </Text>
      <Text c="var(--mantine-color-anchor)" size="lg" truncate dir="auto">
        {title}
      </Text>
      <Text size="sm" lineClamp={2} dir="auto">
        {about || say("noDescription")}
      </Text>
      {values.noindex && (
        <Text size="xs" c="var(--mantine-color-error)">
          {say("noindexOn")}
        </Text>
      )}
    </Paper>
  );
}

function More() {
  const { say, text, flag, values, set, locked, faults } = useForm();
  return (
    <>
      <TextInput {...text("page_title")} maxLength={1000} />
      <TagsInput label={say("metaKeywords")} description={say("tagsHint")} value={values.meta_keywords} onChange={(v) => set("meta_keywords", v)} maxTags={64} readOnly={locked} error={faults.meta_keywords} />
      <Pictures label={say("ogImage")} value={values.og_image_id} onChange={(ids) => set("og_image_id", ids)} max={1} error={faults.og_image_id} disabled={locked} />
      <TextInput {...text("og_image_url")} maxLength={1000} dir="ltr" />
      <Switch {...flag("noindex")} />
      <Switch {...flag("nofollow")} />
      <Twins />
    </>
  );
}

// Twins are the addresses of the same page in other languages.
function Twins() {
  const { say, values, set, locked, faults } = useForm();
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
}
