import { Badge, Grid, Skeleton, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { answer, api, Refusal, type Fault } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { Heading, PreviewButton, RemoveButton, ShopLink } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { Pictures } from "../../parts/Pictures";
import { RichText } from "../../parts/RichText";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { productQuery } from "./data";
import { empty, fieldAt, fieldsOf, itemOf, reasonOf, type Card, type Field, type Fields } from "./fields";
import { FormContext, labels, panel, type ProductForm } from "./form";
import { Brand, Details } from "./panels/Details";
import { Panel } from "./panels/Panel";
import { Place } from "./panels/Place";
import { Price } from "./panels/Price";
import { Stock } from "./panels/Stock";
import { VariantsPanel } from "./panels/VariantsPanel";
import { cellAt } from "./variants/sets";

const More = lazy(() => import("./panels/More"));

// Product is the page of one product, or of a new one.
export function Product() {
  const { shop, id } = useParams({ from: "/$shop/products/$id" });
  const isNew = id === "new";
  const passport = useQuery(passportQuery(shop));
  const product = useQuery({ ...productQuery(shop, Number(id)), enabled: !isNew && /^\d+$/.test(id) });
  if (!isNew && !/^\d+$/.test(id)) return <Failure page error={null} />;
  if (product.isError && !product.data) return <Failure page error={product.error} retry={() => void product.refetch()} />;
  if (!passport.data || (!isNew && !product.data)) return <Skeleton h={480} />;
  return <ProductPage key={shop + id} shop={shop} card={product.data} passport={passport.data} />;
}

function ProductPage({ shop, card, passport }: { shop: string; card: Card | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { store } = passport;
  const base = useMemo(() => (card ? fieldsOf(card, store) : empty), [card, store]);
  const edit = useEdit<Fields>(`${shop}/product/${card?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.catalog_write;

  // bodyOf is what is sent, and what "As a call" shows: the changed fields, on top of those of the
  // product that the change is based on.
  function bodyOf(changed: Field[], from: Card | undefined) {
    if (!from) {
      const fields = (Object.keys(empty) as Field[]).filter((k) => JSON.stringify(values[k]) !== JSON.stringify(empty[k]) || k === "name" || k === "is_published");
      const { item, faults } = itemOf(values, fields, undefined, store, say("notANumber"));
      return { body: { item }, faults };
    }
    const before = fieldsOf(from, store);
    const sent = { ...before, ...Object.fromEntries(changed.map((k) => [k, values[k]])) };
    const { item, faults } = itemOf(sent, changed, before, store, say("notANumber"));
    return { body: { item, expected_updated_at: from.updated_at }, faults };
  }
  const path = card ? `/products/${card.id}` : "/products";
  useShownCall(() => (card && !edit.dirty ? { method: "GET", path } : { method: card ? "PUT" : "POST", path, body: bodyOf(edit.changed, card).body }));

  async function send(changed: Field[], from: Card | undefined) {
    const { body, faults } = bodyOf(changed, from);
    if (faults.length > 0) throw new Refusal(400, "INVALID", "", faults);
    if (!from) return (await answer(api.POST("/products", { body: { item: { ...body.item, name: values.name } } }))).result;
    return (await answer(api.PUT("/products/{id}", { params: { path: { id: from.id } }, body }))).result;
  }

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/products/{id}", { params: { path: { id: card!.id } } })),
    onSuccess: () => {
      edit.done();
      const restore = async () => {
        await answer(api.PUT("/products/{id}", { params: { path: { id: card!.id } }, body: { item: { is_deleted: false } } }));
        await queries.invalidateQueries({ queryKey: [shop] });
      };
      void queries.invalidateQueries({ queryKey: [shop, "products"] });
      told(say, say("productDeleted", { name: card!.name }), restore);
      void navigate({ to: "/$shop/products", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  const { isPending: removing, mutate } = remove;
  // The same elements at each letter that is typed.
  const heading = useMemo(
    () => (
      <Heading back={{ to: "/$shop/products", label: say("products") }} title={card ? card.name : say("newProduct")} state={card?.is_deleted && <Badge color="red">{say("deleted")}</Badge>}>
        {card?.is_published && !card.is_deleted && <ShopLink href={`${store.storefront_url}/${card.slug}`} />}
        {card && !card.is_published && !card.is_deleted && <PreviewButton of="product" id={card.id} />}
        {card && !card.is_deleted && !locked && <RemoveButton loading={removing} onClick={() => mutate()} />}
      </Heading>
    ),
    [say, card, store, locked, removing, mutate],
  );

  // shown writes any field as a text to compare.
  function shown(v: unknown): string {
    if (typeof v === "boolean") return say(v ? "yes" : "no");
    if (Array.isArray(v)) return v.map(shown).join(", ");
    if (v && typeof v === "object") return Object.values(v).map(shown).filter(Boolean).join(" ");
    return String(v ?? "");
  }

  const put = (saved: Card) => queries.setQueryData(productQuery(shop, saved.id).queryKey, saved);
  return (
    <Stack>
      {heading}
      <EditForm
        edit={edit}
        base={card}
        send={send}
        fieldsOf={(c) => fieldsOf(c, store)}
        fieldAt={fieldAt}
        reason={(fault) => reasonOf(say, fault)}
        labels={Object.fromEntries(Object.entries(labels).map(([k, w]) => [k, say(w)]))}
        show={(_, value) => shown(value)}
        locked={locked}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          void queries.invalidateQueries({ queryKey: [shop, "products"] });
          if (!card) void navigate({ to: "/$shop/products/$id", params: { shop, id: String(saved.id) }, replace: true });
        }}
      >
        {(faults, refused) => <Panels form={{ shop, card, passport, locked, values, set: edit.set, faults }} refused={refused} reason={(fault) => reasonOf(say, fault)} />}
      </EditForm>
    </Stack>
  );
}

function Panels({ form, refused, reason }: { form: Omit<ProductForm, "cells">; refused: Fault[]; reason: (fault: Fault) => string }) {
  const list = JSON.stringify(refused.flatMap((f) => (cellAt(f.place) ? [[cellAt(f.place), reason(f)]] : [])));
  // The focus goes to a refused cell once, not whenever another field changes.
  const cells = useMemo(() => (list === "[]" ? undefined : (Object.fromEntries(JSON.parse(list) as [string, string][]) as Record<string, string>)), [list]);
  return <FormContext value={{ ...form, cells }}>{panels}</FormContext>;
}

const Name = panel(["name"], ({ form: { text, card } }) => <TextInput {...text("name")} required maxLength={255} autoFocus={!card} />);

const Description = panel(["description"], ({ form: { say, values, set, faults, locked } }) => (
  <RichText label={say("description")} value={values.description} onChange={(v) => set("description", v)} error={faults.description} disabled={locked} maxLength={100000} />
));

const Gallery = panel(["gallery"], ({ form: { say, values, set, faults, locked } }) => (
  <Pictures label={say("pictures")} value={values.gallery} onChange={(ids) => set("gallery", ids)} max={100} error={faults.gallery} disabled={locked} />
));

// The same elements each time: what is between the panels is not drawn again.
const panels = (
  <Grid>
    <Grid.Col span={{ base: 12, md: 8 }}>
      <Stack>
        <Panel>
          <Name />
          <Description />
          <Gallery />
        </Panel>
        <VariantsPanel />
        <Suspense fallback={<Skeleton h={200} />}>
          <More />
        </Suspense>
      </Stack>
    </Grid.Col>
    <Grid.Col span={{ base: 12, md: 4 }}>
      <Stack>
        <Place />
        <Price />
        <Stock />
        <Brand />
        <Details />
      </Stack>
    </Grid.Col>
  </Grid>
);
