import { Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { Heading, PreviewButton, RemoveButton, ShopLink } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { seoLabels } from "../../parts/seo";
import { keepUnsaved, useEdit } from "../../parts/useEdit";
import { sayIn, useWords, type WordOf } from "../../words";
import { words } from "../../words/articles";
import { words as seoWords } from "../../words/seo";
import { ArticleFields } from "./ArticleFields";
import { saveText, sectionsWith, textBlock } from "./body";
import { articleQuery, readArticle, saveArticle, type Page } from "./data";
import { fieldAt, fieldsOf, itemOf, type Fields } from "./fields";
import { stateOf } from "./search";
import { StateBadge } from "./StateBadge";

const labels: Record<Exclude<keyof Fields & string, keyof typeof seoLabels>, WordOf<typeof words>> = {
  title: "title",
  announce: "lead",
  text: "text",
  cover: "cover",
  category_id: "rubric",
  is_published: "published",
  published_at: "date",
  badge: "badge",
  author_mode: "author",
  author_name: "authorName",
  author_description: "authorAbout",
  gallery_ids: "galleries",
  slug: "slug",
};

// Article is the page of one article, or of a new one.
export function Article() {
  const { shop, id } = useParams({ from: "/$shop/articles/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={articleQuery(shop, Number(id))}>
      {(passport, page) => <Form key={shop + id} shop={shop} page={page} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, page, passport }: { shop: string; page: Page | undefined; passport: Passport }) {
  const { say, language } = useWords(words);
  const saySeo = useMemo(() => sayIn(language, seoWords), [language]);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { rubric } = useSearch({ from: "/$shop/articles/$id" });
  const [opened] = useState(Date.now);
  const zone = passport.store.timezone;
  const base = useMemo(() => fieldsOf(page, zone, opened, rubric ? String(rubric) : null), [page, zone, opened, rubric]);
  const keyOf = (id: number | "new") => `${shop}/article/${id}`;
  const article = page?.result;
  const edit = useEdit<Fields>(keyOf(article?.id ?? "new"), base);
  const { values } = edit;
  const locked = !passport.capabilities.catalog_write;
  const names = Object.keys(base);
  const put = (saved: Page) => queries.setQueryData(articleQuery(shop, saved.result.id).queryKey, saved);

  // itemFrom is the item that is sent, and that "As a call" shows.
  function itemFrom(changed: (keyof Fields)[], from: Page | undefined) {
    const blank = fieldsOf(undefined, zone, opened, null);
    const set = from ? changed : names.filter((n) => JSON.stringify(values[n]) !== JSON.stringify(blank[n])).concat("title", "category_id", "is_published", "published_at");
    return itemOf(values, set, from, zone);
  }
  const changesText = edit.changed.includes("text");
  const changesItem = edit.changed.some((n) => n !== "text");
  const block = textBlock(page);
  useShownCall(
    !article
      ? { method: "POST", path: "/articles", body: { item: itemFrom([], undefined) } }
      : changesItem
        ? { method: "PUT", path: `/articles/${article.id}`, body: { item: itemFrom(edit.changed, page), expected_updated_at: article.updated_at } }
        : changesText && block
          ? { method: "PUT", path: `/content-blocks/${block.id}`, body: { item: { sections: sectionsWith(block, values.text) }, expected_updated_at: block.updated_at } }
          : { method: "GET", path: `/articles/${article.id}` },
  );

  async function create(): Promise<Page> {
    if (!values.category_id) throw new Refusal(400, "CATEGORY_REQUIRED", say("chooseRubric"), [{ code: "CATEGORY_REQUIRED", place: "item.category_id", detail: say("chooseRubric") }]);
    const item = itemFrom([], undefined);
    const { result } = await answer(api.POST("/articles", { body: { item: { ...item, title: values.title, category_id: values.category_id } } }));
    const made = await readArticle(result.id);
    if (values.text === "") return made;
    try {
      return { ...made, content_blocks: await saveText(made, values.text) };
    } catch (error) {
      keepUnsaved(keyOf(result.id), { text: values.text });
      failed(say, error, say("textSeparate"));
      return made;
    }
  }

  async function change(changed: (keyof Fields)[], from: Page): Promise<Page> {
    let now = from;
    if (changed.some((n) => n !== "text")) {
      const { result } = await saveArticle(from.result.id, itemFrom(changed, from), from.result.updated_at);
      put((now = { ...from, result }));
    }
    return changed.includes("text") ? { ...now, content_blocks: await saveText(now, values.text) } : now;
  }

  async function send(changed: (keyof Fields)[], from: Page | undefined): Promise<Page> {
    if (!from) return create();
    try {
      return await change(changed, from);
    } catch (error) {
      // The refusal has either the article or its text as it is now; the form needs both.
      if (!(error instanceof Refusal) || error.code !== "EDIT_CONFLICT") throw error;
      throw new Refusal(error.status, error.code, error.detail, [], { ...error.body, current: await readArticle(from.result.id) });
    }
  }

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/articles/{id}", { params: { path: { id: article!.id } } })),
    onSuccess: () => {
      edit.done();
      const refresh = () => queries.invalidateQueries({ queryKey: [shop] });
      void queries.invalidateQueries({ queryKey: [shop, "articles"] });
      told(say, say("articleDeleted", { name: article!.title }), () => saveArticle(article!.id, { is_deleted: false }).then(refresh));
      void navigate({ to: "/$shop/articles", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });
  const state = article && stateOf(article);

  return (
    <Stack>
      <Heading back={{ to: "/$shop/articles", label: say("articles") }} title={article ? article.title : say("newArticle")} state={article && <StateBadge article={article} />}>
        {state === "published" && <ShopLink href={`${passport.store.storefront_url}/article/${article!.slug}`} />}
        {article && state !== "published" && <PreviewButton of="article" id={article.id} />}
        {article && !locked && <RemoveButton loading={remove.isPending} onClick={() => remove.mutate()} />}
      </Heading>
      <EditForm
        edit={edit}
        base={page}
        send={send}
        fieldsOf={(p) => fieldsOf(p, zone, opened, null)}
        fieldAt={(place) => fieldAt(place, names)}
        locked={locked}
        labels={{ ...Object.fromEntries(Object.entries(labels).map(([k, w]) => [k, say(w)])), ...Object.fromEntries(Object.entries(seoLabels).map(([k, w]) => [k, saySeo(w)])) }}
        show={(name, value) => {
          if (name === "is_published") return say(value ? "published" : "hidden");
          if (typeof value === "boolean") return value ? "✓" : "—";
          if (name === "published_at") return String(value).replace("T", " ");
          return Array.isArray(value) ? value.join(", ") : String(value ?? "");
        }}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          void queries.invalidateQueries({ queryKey: [shop, "articles"] });
          if (!article) void navigate({ to: "/$shop/articles/$id", params: { shop, id: String(saved.result.id) }, replace: true });
        }}
      >
        {(faults) => <ArticleFields shop={shop} edit={edit} page={page} faults={faults} locked={locked} passport={passport} />}
      </EditForm>
    </Stack>
  );
}
