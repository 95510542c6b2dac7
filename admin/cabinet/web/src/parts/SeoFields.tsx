import { Alert, Checkbox, Group, Paper, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useWords } from "../words";
import { words } from "../words/seo";
import { Pictures } from "./Pictures";
import { seoLabels, type emptySeo, type SeoValues } from "./seo";

// SeoFields are the fields about search engines, with a look at how a search engine may show the page.
export function SeoFields({
  values,
  set,
  faults,
  locked,
  name,
  text,
  address,
  alternates,
}: {
  values: SeoValues;
  set: <K extends keyof typeof emptySeo>(name: K, value: SeoValues[K]) => void;
  faults: Partial<Record<string, string>>;
  locked: boolean;
  name: string;
  text: string;
  address: string;
  alternates: number;
}) {
  const { say } = useWords(words);
  const description = useMemo(() => plain(text), [text]);
  const field = (key: "meta_title" | "meta_description" | "page_title" | "og_image_url") => ({
    label: say(seoLabels[key]),
    value: values[key],
    onChange: (e: { currentTarget: { value: string } }) => set(key, e.currentTarget.value),
    error: faults[key],
    readOnly: locked,
    maxLength: 1000,
    dir: "auto" as const,
  });
  const flag = (key: "noindex" | "nofollow") => (
    <Checkbox label={say(seoLabels[key])} checked={values[key]} disabled={locked} onChange={(e) => set(key, e.currentTarget.checked)} />
  );
  return (
    <Stack>
      <Paper withBorder p="sm" role="group" aria-label={say("found")}>
        <Text size="xs" c="dimmed" truncate dir="ltr">
          {address}
        </Text>
        <Text c="blue" lineClamp={1} dir="auto">
          {values.meta_title || name}
        </Text>
        <Text size="sm" lineClamp={2} dir="auto">
          {values.meta_description || description}
        </Text>
      </Paper>
      <TextInput {...field("meta_title")} placeholder={name} />
      <Textarea {...field("meta_description")} autosize minRows={2} />
      <TextInput {...field("page_title")} description={say("pageTitleHint")} placeholder={name} />
      <TagsInput label={say("metaKeywords")} value={values.meta_keywords} onChange={(v) => set("meta_keywords", v)} maxTags={64} readOnly={locked} error={faults.meta_keywords} />
      <Pictures label={say("ogImage")} value={values.og_image} onChange={(v) => set("og_image", v)} max={1} error={faults.og_image} disabled={locked} />
      <TextInput {...field("og_image_url")} description={say("ogImageURLHint")} dir="ltr" />
      <Group>
        {flag("noindex")}
        {flag("nofollow")}
      </Group>
      {alternates > 0 && <Alert variant="light">{say("alternates", { n: alternates })}</Alert>}
    </Stack>
  );
}

const plain = (html: string) => new DOMParser().parseFromString(html, "text/html").body.textContent?.slice(0, 300) ?? "";
