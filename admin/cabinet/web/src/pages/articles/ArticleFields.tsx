import { Card as Panel, Grid, MultiSelect, Select, Stack, Switch, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { dateText, moment, momentField } from "../../parts/dates";
import type { Faults } from "../../parts/EditForm";
import { galleriesQuery } from "../../parts/galleries";
import { inputsOf } from "../../parts/inputs";
import { Pictures } from "../../parts/Pictures";
import { RichText } from "../../parts/RichText";
import { SectionTree, treeQuery } from "../../parts/sections";
import { SeoFields } from "../../parts/SeoFields";
import type { useEdit } from "../../parts/useEdit";
import type { Passport } from "../../frame/session";
import { useWords } from "../../words";
import { words } from "../../words/articles";
import { words as seoWords } from "../../words/seo";
import type { Page } from "./data";
import type { Fields } from "./fields";
import { RubricSelect } from "./RubricSelect";
import { stateOf } from "./search";

interface Props {
  shop: string;
  edit: ReturnType<typeof useEdit<Fields>>;
  page: Page | undefined;
  faults: Faults;
  locked: boolean;
  passport: Passport;
}

// ArticleFields are the fields of an article, in panels.
export function ArticleFields(props: Props) {
  const { shop, edit, page, faults, locked, passport } = props;
  const { say } = useWords(words);
  const { say: saySeo } = useWords(seoWords);
  const { values } = edit;
  const { data: sections } = useQuery(treeQuery(shop));
  const tree = new SectionTree(sections ?? []);
  const rubric = tree.byID.get(Number(values.category_id));
  const { text } = inputsOf<Fields>(edit, faults, locked, { title: say("title"), slug: say("slug"), badge: say("badge"), author_name: say("authorName"), author_description: say("authorAbout") });
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack>
          <Panel withBorder>
            <Stack>
              <TextInput {...text("title", 255)} required autoFocus={!page} />
              <RichText label={say("lead")} value={values.announce} onChange={(v) => edit.set("announce", v)} error={faults.announce} disabled={locked} maxLength={2000} />
              <RichText label={say("text")} value={values.text} onChange={(v) => edit.set("text", v)} error={faults.text} disabled={locked} maxLength={60000} />
            </Stack>
          </Panel>
          <Panel withBorder>
            <Title order={2} size="h4" mb="sm">
              {saySeo("seo")}
            </Title>
            <Stack>
              <TextInput {...text("slug", 255)} description={page ? undefined : say("slugHint")} />
              <SeoFields
                values={values}
                set={edit.set}
                faults={faults}
                locked={locked}
                name={values.title}
                text={values.announce}
                address={`${passport.store.storefront_url}${rubric ? tree.pathOf(rubric) : ""}/${values.slug || "…"}`}
                alternates={page?.result.seo.alternates.length ?? 0}
              />
            </Stack>
          </Panel>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack>
          <Publication {...props} hiddenRubric={rubric?.is_published === false} />
          <Panel withBorder>
            <Stack>
              <Pictures label={say("cover")} value={values.cover} onChange={(ids) => edit.set("cover", ids)} max={1} error={faults.cover} disabled={locked} />
              <TextInput {...text("badge", 48)} />
              <Galleries {...props} />
            </Stack>
          </Panel>
          <Panel withBorder>
            <Stack>
              <Select
                label={say("author")}
                data={[
                  { value: "none", label: say("noAuthor") },
                  { value: "member", label: say("memberAuthor") },
                  { value: "manual", label: say("manualAuthor") },
                ]}
                value={values.author_mode}
                allowDeselect={false}
                onChange={(v) => edit.set("author_mode", v as Fields["author_mode"])}
                error={faults.author_mode}
                readOnly={locked}
              />
              {values.author_mode !== "none" && (
                <>
                  <TextInput {...text("author_name", 255)} />
                  <Textarea {...text("author_description", 500)} autosize minRows={2} />
                </>
              )}
            </Stack>
          </Panel>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

// Publication says who sees the article, and from when on.
function Publication({ shop, edit, faults, locked, passport, hiddenRubric }: Props & { hiddenRubric: boolean }) {
  const { say, language } = useWords(words);
  const { values } = edit;
  const zone = passport.store.timezone;
  const at = moment(values.published_at, zone);
  const state = stateOf({ is_deleted: false, is_published: values.is_published, published_at: at });
  const effect = state === "scheduled" ? say("scheduledText", { date: dateText(at!, zone, language), zone }) : say(state === "hidden" ? "hiddenText" : "publishedText");
  return (
    <Panel withBorder>
      <Stack>
        <Switch label={say("published")} checked={values.is_published} disabled={locked} onChange={(e) => edit.set("is_published", e.currentTarget.checked)} />
        <TextInput
          {...momentField}
          label={say("dateIn", { zone })}
          value={values.published_at}
          onChange={(e) => edit.set("published_at", e.currentTarget.value)}
          error={faults.published_at}
          readOnly={locked}
        />
        <Text size="sm" c={state === "scheduled" ? "var(--mantine-color-text)" : "dimmed"} aria-live="polite">
          {[effect, values.is_published && !at && say("noDate"), hiddenRubric && say("rubricHidden")].filter(Boolean).join(" ")}
        </Text>
        <RubricSelect
          shop={shop}
          label={say("rubric")}
          required
          allowDeselect={false}
          value={values.category_id}
          onChange={(v) => edit.set("category_id", v)}
          readOnly={locked}
          error={faults.category_id}
        />
      </Stack>
    </Panel>
  );
}

// Galleries links galleries of the shop. Their list is read when it is wanted.
function Galleries({ shop, edit, page, faults, locked }: Props) {
  const { say } = useWords(words);
  const [wanted, setWanted] = useState(false);
  const list = useQuery({ ...galleriesQuery(shop, 1, 100), enabled: wanted });
  const known = new Map([...(page?.result.galleries ?? []), ...(list.data?.result ?? [])].map((g) => [g.id, g.name]));
  return (
    <MultiSelect
      label={say("galleries")}
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={edit.values.gallery_ids}
      onChange={(ids) => edit.set("gallery_ids", ids)}
      onDropdownOpen={() => setWanted(true)}
      maxValues={15}
      searchable
      error={faults.gallery_ids}
      readOnly={locked}
    />
  );
}
