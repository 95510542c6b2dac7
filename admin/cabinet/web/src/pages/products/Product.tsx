import { Alert, Anchor, Badge, Button, Card as Panel, Grid, Group, Skeleton, Stack, Switch, TagsInput, Textarea, TextInput, Title } from "@mantine/core";
import { IconArrowLeft, IconExternalLink, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { Conflict, type Difference } from "../../parts/Conflict";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Pictures } from "../../parts/Pictures";
import { RichText } from "../../parts/RichText";
import { SaveBar } from "../../parts/SaveBar";
import { useEdit } from "../../parts/useEdit";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/products";
import { productQuery } from "./data";
import { empty, fieldAt, fieldsOf, itemOf, type Card, type Faults, type Fields } from "./fields";
import { SectionSelect } from "./SectionSelect";

const labels: Record<keyof typeof empty, WordOf<typeof words>> = {
  name: "productName",
  description: "description",
  price: "price",
  old_price: "oldPrice",
  category_id: "section",
  is_published: "published",
  sku: "sku",
  brand: "brand",
  tags: "tags",
  gallery: "pictures",
  quantity: "quantity",
  low_threshold: "lowThreshold",
  slug: "slug",
  meta_title: "metaTitle",
  meta_description: "metaDescription",
};

// Product is the page of one product, or of a new one.
export function Product() {
  const { shop, id } = useParams({ from: "/$shop/products/$id" });
  const isNew = id === "new";
  const passport = useQuery(passportQuery(shop));
  const product = useQuery({ ...productQuery(shop, Number(id)), enabled: !isNew && /^\d+$/.test(id) });
  if (!isNew && !/^\d+$/.test(id)) return <Failure error={null} />;
  if (product.isError && !product.data) return <Failure error={product.error} retry={() => void product.refetch()} />;
  if (!passport.data || (!isNew && !product.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} card={product.data} passport={passport.data} />;
}

function Form({ shop, card, passport }: { shop: string; card: Card | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const digits = passport.store.price_digits;
  const base = card ? fieldsOf(card, digits) : empty;
  const edit = useEdit<Fields>(`${shop}/product/${card?.id ?? "new"}`, base);
  const { values } = edit;
  const [faults, setFaults] = useState<Faults>({});
  const [conflict, setConflict] = useState<{ card: Card; who: string } | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const locked = !passport.capabilities.catalog_write;
  const wide = { base: 12, md: 8 };
  const side = { base: 12, md: 4 };

  // bodyOf is what is sent, and what "As a call" shows.
  function bodyOf(changed: (keyof Fields)[], from: Card | undefined) {
    const fields = from ? changed : (Object.keys(empty) as (keyof Fields)[]).filter((k) => JSON.stringify(values[k]) !== JSON.stringify(empty[k]) || k === "name" || k === "is_published");
    const { item, faults } = itemOf(values, fields, from, digits, say("failed"));
    return { body: from ? { item, expected_updated_at: from.updated_at } : { item }, faults };
  }
  const path = card ? `/products/${card.id}` : "/products";
  useShownCall(card && !edit.dirty ? { method: "GET", path } : { method: card ? "PUT" : "POST", path, body: bodyOf(edit.changed, card).body });

  const save = useMutation({
    mutationFn: async ({ changed, from }: { changed: (keyof Fields)[]; from: Card | undefined }) => {
      const { body, faults } = bodyOf(changed, from);
      setFaults(faults);
      if (Object.keys(faults).length > 0) throw new Refusal(400, "INVALID", say("failed"));
      if (!from) return (await answer(api.POST("/products", { body: { item: { ...body.item, name: values.name } } }))).result;
      return (await answer(api.PUT("/products/{id}", { params: { path: { id: from.id } }, body }))).result;
    },
    onSuccess: (saved) => {
      edit.done();
      setConflict(null);
      queries.setQueryData(productQuery(shop, saved.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: [shop, "products"] });
      told(say, say("saved"));
      if (!card) void navigate({ to: "/$shop/products/$id", params: { shop, id: String(saved.id) }, replace: true });
    },
    onError: (error) => {
      if (error instanceof Refusal && error.code === "EDIT_CONFLICT" && error.body.current) {
        const by = error.body.updated_by as { name?: string } | undefined;
        setConflict({ card: error.body.current as Card, who: by?.name ?? "" });
        return;
      }
      if (error instanceof Refusal) {
        const found: Faults = {};
        for (const f of error.faults) {
          const name = fieldAt(f.place);
          if (name && !found[name]) found[name] = f.detail || f.code;
        }
        setFaults((old) => ({ ...old, ...found }));
      }
      failed(say, error);
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    },
  });

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

  function differences(theirs: Card): Difference[] {
    const other = fieldsOf(theirs, digits);
    const text = (v: unknown) => (Array.isArray(v) ? v.join(", ") : typeof v === "boolean" ? say(v ? "published" : "hidden") : String(v ?? ""));
    return edit.changed
      .filter((name) => JSON.stringify(other[name]) !== JSON.stringify(values[name]))
      .map((name) => ({ name: String(name), label: say(labels[name]!), mine: text(values[name]), theirs: text(other[name]) }));
  }

  const text = (name: keyof Fields) => ({
    label: say(labels[name]!),
    value: values[name] as string,
    onChange: (e: { currentTarget: { value: string } }) => edit.set(name, e.currentTarget.value),
    error: faults[name],
    readOnly: locked,
    dir: "auto" as const,
  });
  const byVariant = card?.stock_by === "variant";

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        if (edit.dirty && !save.isPending) save.mutate({ changed: edit.changed, from: card });
      }}
    >
      <Stack>
        <AnchorLink to="/$shop/products" params={{ shop }} size="sm" c="dimmed">
          <Group gap={4}>
            <IconArrowLeft size={14} /> {say("products")}
          </Group>
        </AnchorLink>
        <Group justify="space-between" align="flex-start">
          <Title order={1} size="h2" dir="auto" maw="100%">
            {card ? card.name : say("newProduct")} {card?.is_deleted && <Badge color="red">{say("deleted")}</Badge>}
          </Title>
          <Group gap="xs">
            {card?.is_published && !card.is_deleted && (
              <Anchor href={`${passport.store.storefront_url}/${card.slug}`} target="_blank" rel="noreferrer" size="sm">
                <Group gap={4}>
                  {say("view")} <IconExternalLink size={14} />
                </Group>
              </Anchor>
            )}
            {card && !card.is_deleted && !locked && (
              <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} loading={remove.isPending} onClick={() => remove.mutate()}>
                {say("remove")}
              </Button>
            )}
          </Group>
        </Group>
        {edit.restored && <Alert variant="light">{say("restored")}</Alert>}
        {locked && <Alert variant="light">{say("noRight")}</Alert>}
        <Grid>
          <Grid.Col span={wide}>
            <Stack>
              <Panel withBorder>
                <Stack>
                  <TextInput {...text("name")} required maxLength={255} autoFocus={!card} />
                  <RichText label={say("description")} value={values.description} onChange={(v) => edit.set("description", v)} error={faults.description} disabled={locked} maxLength={100000} />
                  <Pictures label={say("pictures")} value={values.gallery} onChange={(ids) => edit.set("gallery", ids)} max={100} error={faults.gallery} disabled={locked} />
                </Stack>
              </Panel>
              <Panel withBorder>
                <Title order={2} size="h4" mb="sm">
                  {say("seo")}
                </Title>
                <Stack>
                  <TextInput {...text("slug")} description={say("slugHint")} maxLength={255} />
                  <TextInput {...text("meta_title")} placeholder={values.name} maxLength={255} />
                  <Textarea {...text("meta_description")} autosize minRows={2} maxLength={1000} />
                </Stack>
              </Panel>
            </Stack>
          </Grid.Col>
          <Grid.Col span={side}>
            <Stack>
              <Panel withBorder>
                <Stack>
                  <Switch label={say("published")} checked={values.is_published} disabled={locked} onChange={(e) => edit.set("is_published", e.currentTarget.checked)} />
                  <SectionSelect
                    shop={shop}
                    label={say("section")}
                    placeholder={say("noSection")}
                    value={values.category_id}
                    onChange={(v) => edit.set("category_id", v)}
                    readOnly={locked}
                    error={faults.category_id}
                  />
                </Stack>
              </Panel>
              <Panel withBorder>
                <Stack>
                  <TextInput {...text("price")} inputMode="decimal" rightSection={passport.store.currency} rightSectionWidth={52} maxLength={20} dir="ltr" />
                  <TextInput {...text("old_price")} inputMode="decimal" rightSection={passport.store.currency} rightSectionWidth={52} maxLength={20} dir="ltr" />
                </Stack>
              </Panel>
              <Panel withBorder>
                <Stack>
                  <TextInput {...text("sku")} maxLength={255} />
                  {byVariant ? (
                    <div>{say("variantsCount", { n: card.variants.length })}</div>
                  ) : (
                    <>
                      <TextInput {...text("quantity")} inputMode="numeric" description={say("quantityHint")} maxLength={9} dir="ltr" />
                      <TextInput {...text("low_threshold")} inputMode="numeric" maxLength={9} dir="ltr" />
                    </>
                  )}
                  <TextInput {...text("brand")} maxLength={255} />
                  <TagsInput label={say("tags")} description={say("tagsHint")} value={values.tags} onChange={(v) => edit.set("tags", v)} maxTags={50} readOnly={locked} error={faults.tags} />
                </Stack>
              </Panel>
            </Stack>
          </Grid.Col>
        </Grid>
        <SaveBar edit={edit} labels={Object.fromEntries(Object.entries(labels).map(([k, w]) => [k, say(w)]))} saving={save.isPending} onSave={() => form.current?.requestSubmit()} />
      </Stack>
      {conflict && (
        <Conflict
          who={conflict.who}
          differences={differences(conflict.card)}
          onClose={() => setConflict(null)}
          onChoose={(theirs) => {
            const mine = edit.changed.filter((name) => !theirs.includes(String(name)));
            if (mine.length > 0) return save.mutate({ changed: mine, from: conflict.card });
            edit.done();
            setConflict(null);
            queries.setQueryData(productQuery(shop, conflict.card.id).queryKey, conflict.card);
          }}
        />
      )}
    </form>
  );
}
