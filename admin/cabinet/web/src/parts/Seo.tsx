import { Alert, Checkbox, Group, Paper, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import type { Schemas } from "../api/client";
import { useWords } from "../words";
import { words } from "../words/seo";
import { Pictures } from "./Pictures";

type SEO = Schemas["StoreSEO"];

// SeoValues are the fields of a page about search engines, apart from its address.
export interface SeoValues extends Record<string, unknown> {
  meta_title: string;
  meta_description: string;
  page_title: string;
  meta_keywords: string[];
  og_image: string[];
  og_image_url: string;
  noindex: boolean;
  nofollow: boolean;
}

export const emptySeo: SeoValues = { meta_title: "", meta_description: "", page_title: "", meta_keywords: [], og_image: [], og_image_url: "", noindex: false, nofollow: false };

export const seoLabels = {
  meta_title: "metaTitle",
  meta_description: "metaDescription",
  page_title: "pageTitle",
  meta_keywords: "metaKeywords",
  og_image: "ogImage",
  og_image_url: "ogImageURL",
  noindex: "noindex",
  nofollow: "nofollow",
} satisfies Record<keyof typeof emptySeo, keyof typeof words>;

export function seoValues(seo: SEO): SeoValues {
  const { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow } = seo;
  return { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow, og_image: seo.og_image_id ? [seo.og_image_id] : [] };
}

// seoInput is the whole seo of a page in a call: what the fields do not show is kept.
export function seoInput(v: SeoValues, slug: string, base: SEO | undefined): Schemas["CatalogSeoItemInput"] {
  const { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow } = v;
  return { alternates: base?.alternates ?? [], slug, meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow, og_image_id: v.og_image[0] ?? null };
}

// SeoFields are those fields with a look at how a search engine may show the page.
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
          {values.meta_description || plain(text)}
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
