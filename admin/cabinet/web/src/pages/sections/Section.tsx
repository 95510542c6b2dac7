import { Badge, Button, Skeleton, Stack } from "@mantine/core";
import { IconArrowsMove } from "@tabler/icons-react";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { Heading, PreviewButton, RemoveButton } from "../../parts/Heading";
import { failed } from "../../parts/notice";
import { seoLabels } from "../../parts/seo";
import { SectionTree, treeQuery, type Section as TreeRow } from "../../parts/sections";
import { useEdit } from "../../parts/useEdit";
import { sayIn, useWords, type WordOf } from "../../words";
import { words } from "../../words/sections";
import { words as seoWords } from "../../words/seo";
import { empty, fieldAt, fieldsOf, itemOf, names, type Card, type Fields } from "./fields";
import { SectionFields } from "./SectionFields";
import { useActions } from "./useActions";

const MoveDialog = lazy(() => import("./MoveDialog"));

const sectionQuery = (shop: string, id: number) =>
  queryOptions({
    queryKey: [shop, "section", id],
    queryFn: async () => (await answer(api.GET("/categories/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

const labels: Record<Exclude<keyof Fields & string, keyof typeof seoLabels>, WordOf<typeof words>> = {
  name: "sectionName",
  type: "kind",
  parent_id: "parent",
  description: "description",
  preview: "picture",
  gallery_ids: "galleries",
  is_published: "published",
  is_show_menu: "inMenu",
  is_home: "home",
  comments_enabled: "comments",
  questions_enabled: "questions",
  page_template: "template",
  slug: "slug",
};

// Section is the page of one section, or of a new one.
export function Section() {
  const { shop, id } = useParams({ from: "/$shop/sections/$id" });
  const isNew = id === "new";
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const list = useQuery(treeQuery(shop));
  const section = useQuery({ ...sectionQuery(shop, Number(id)), enabled: numeric });
  if (!isNew && !numeric) return <Failure page error={null} />;
  for (const query of [section, list]) if (query.isError && !query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!passport.data || !list.data || (!isNew && !section.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} card={section.data} list={list.data} passport={passport.data} />;
}

function Form({ shop, card, list, passport }: { shop: string; card: Card | undefined; list: TreeRow[]; passport: Passport }) {
  const { say, language } = useWords(words);
  const saySeo = useMemo(() => sayIn(language, seoWords), [language]);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const begin = useSearch({ from: "/$shop/sections/$id" });
  const tree = useMemo(() => new SectionTree(list), [list]);
  const actions = useActions(shop, tree);
  const base = useMemo(() => (card ? fieldsOf(card) : { ...empty, type: begin.kind ?? "product", parent_id: String(begin.parent ?? 0) }), [card, begin.kind, begin.parent]);
  const edit = useEdit<Fields>(`${shop}/section/${card?.id ?? "new"}`, base);
  const [pin, setPin] = useState(false);
  const [moving, setMoving] = useState(false);
  const locked = !passport.capabilities.catalog_write;
  const pins = (passport.capabilities.redirects_write ?? false) && passport.role !== "editor";
  const own = card && tree.byID.get(card.id);

  // bodyOf is what is sent, and what "As a call" shows.
  const bodyOf = (changed: (keyof Fields)[], from: Card | undefined) => {
    if (from) return { item: itemOf(edit.values, changed.map(String), from), expected_updated_at: from.updated_at };
    const set = names.filter((n) => JSON.stringify(edit.values[n]) !== JSON.stringify(empty[n]));
    return { item: itemOf(edit.values, [...set, "name", "type", "is_published"], undefined) };
  };
  const path = card ? `/categories/${card.id}` : "/categories";
  useShownCall(card && !edit.dirty ? { method: "GET", path } : { method: card ? "PUT" : "POST", path, body: bodyOf(edit.changed, card) });

  async function send(changed: (keyof Fields)[], from: Card | undefined): Promise<Card> {
    const body = bodyOf(changed, from);
    if (!from) return (await answer(api.POST("/categories", { body: { item: { ...body.item, name: edit.values.name } } }))).result;
    const { result } = await answer(api.PUT("/categories/{id}", { params: { path: { id: from.id } }, body }));
    if (pin && own && result.seo.slug !== from.seo.slug) {
      const item = { from_path: tree.pathOf(own), to_target: tree.path(result.seo.slug, tree.parentOf(own), result.is_home), enabled: true };
      await answer(api.POST("/storefront-redirects", { body: { item } })).catch((error: unknown) => failed(say, error));
    }
    return result;
  }

  return (
    <Stack>
      <Heading back={{ to: "/$shop/sections", label: say("sections") }} title={card ? card.name : say("newSection")} state={card?.is_deleted && <Badge color="red">{say("deleted")}</Badge>}>
        {card && !card.is_deleted && <PreviewButton of="category" id={card.id} />}
        {card && !card.is_deleted && !locked && (
          <>
            <Button variant="subtle" leftSection={<IconArrowsMove size={16} />} disabled={!own} onClick={() => setMoving(true)}>
              {say("moveTo")}
            </Button>
            <RemoveButton
              loading={actions.removing.isPending}
              disabled={!own}
              onClick={() =>
                actions.removing.mutate(own!, {
                  onSuccess: () => {
                    edit.done();
                    void navigate({ to: "/$shop/sections", params: { shop } });
                  },
                })
              }
            />
          </>
        )}
      </Heading>
      <EditForm
        edit={edit}
        base={card}
        send={send}
        fieldsOf={fieldsOf}
        fieldAt={fieldAt}
        locked={locked}
        labels={{ ...Object.fromEntries(Object.entries(labels).map(([k, w]) => [k, say(w)])), ...Object.fromEntries(Object.entries(seoLabels).map(([k, w]) => [k, saySeo(w)])) }}
        show={(name, value) => {
          if (typeof value === "boolean") return say(value ? "yes" : "no");
          if (name === "type") return say(`kind_${value as Fields["type"]}_section`);
          if (name === "parent_id") return tree.byID.get(Number(value))?.name ?? say("topLevel");
          return Array.isArray(value) ? value.join(", ") : String(value ?? "");
        }}
        onTheirs={(current) => queries.setQueryData(sectionQuery(shop, current.id).queryKey, current)}
        onSaved={(saved) => {
          queries.setQueryData(sectionQuery(shop, saved.id).queryKey, saved);
          void queries.invalidateQueries({ queryKey: [shop, "sections"] });
          if (!card) void navigate({ to: "/$shop/sections/$id", params: { shop, id: String(saved.id) }, replace: true });
        }}
      >
        {(faults) => (
          <SectionFields shop={shop} edit={edit} card={card} tree={tree} faults={faults} locked={locked} storefront={passport.store.storefront_url} pin={pins ? { value: pin, set: setPin } : undefined} />
        )}
      </EditForm>
      {moving && own && (
        <Suspense>
          <MoveDialog
            shop={shop}
            tree={tree}
            section={own}
            target={undefined}
            pins={pins}
            saving={actions.moving.isPending}
            onClose={() => setMoving(false)}
            onMove={(to, pin) =>
              actions.moving.mutate(
                { to, pin },
                {
                  onSuccess: () => {
                    setMoving(false);
                    void queries.invalidateQueries({ queryKey: [shop, "section", own.id] });
                  },
                },
              )
            }
          />
        </Suspense>
      )}
    </Stack>
  );
}
