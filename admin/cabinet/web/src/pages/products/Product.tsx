import { Alert, Anchor, Badge, Button, Grid, Group, Skeleton, Stack, TextInput, Title } from "@mantine/core";
import { IconArrowLeft, IconExternalLink, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
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
import { useWords } from "../../words";
import { words } from "../../words/products";
import { productQuery } from "./data";
import { empty, faultsOf, fieldsOf, itemOf, reasonOf, type Card, type Faults, type Field, type Fields } from "./fields";
import { FormContext, labels, useForm } from "./form";
import { Attributes } from "./panels/Attributes";
import { Combo } from "./panels/Combo";
import { Details } from "./panels/Details";
import { Links } from "./panels/Links";
import { Panel } from "./panels/Panel";
import { Place } from "./panels/Place";
import { Price } from "./panels/Price";
import { Seo } from "./panels/Seo";
import { Stock } from "./panels/Stock";
import { VariantsPanel } from "./panels/VariantsPanel";

// Product is the page of one product, or of a new one.
export function Product() {
  const { shop, id } = useParams({ from: "/$shop/products/$id" });
  const isNew = id === "new";
  const passport = useQuery(passportQuery(shop));
  const product = useQuery({ ...productQuery(shop, Number(id)), enabled: !isNew && /^\d+$/.test(id) });
  if (!isNew && !/^\d+$/.test(id)) return <Failure page error={null} />;
  if (product.isError && !product.data) return <Failure page error={product.error} retry={() => void product.refetch()} />;
  if (!passport.data || (!isNew && !product.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} card={product.data} passport={passport.data} />;
}

function Form({ shop, card, passport }: { shop: string; card: Card | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { store } = passport;
  const base = useMemo(() => (card ? fieldsOf(card, store) : empty), [card, store]);
  const edit = useEdit<Fields>(`${shop}/product/${card?.id ?? "new"}`, base);
  const { values } = edit;
  const [faults, setFaults] = useState<Faults>({});
  const [conflict, setConflict] = useState<{ card: Card; who: string } | null>(null);
  const form = useRef<HTMLFormElement>(null);
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
  useShownCall(card && !edit.dirty ? { method: "GET", path } : { method: card ? "PUT" : "POST", path, body: bodyOf(edit.changed, card).body });

  const save = useMutation({
    mutationFn: async ({ changed, from }: { changed: Field[]; from: Card | undefined }) => {
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
    onError: (error, { changed }) => {
      if (error instanceof Refusal && error.code === "EDIT_CONFLICT" && error.body.current) {
        const by = error.body.updated_by as { name?: string } | undefined;
        return resolve(error.body.current as Card, by?.name || say("somebody"), changed);
      }
      if (error instanceof Refusal) setFaults((old) => ({ ...old, ...faultsOf(say, error.faults) }));
      failed(say, error instanceof Refusal && error.status < 500 && error.faults.length > 0 ? new Error(reasonOf(say, error)) : error);
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

  // resolve saves on top of what another person saved meanwhile, or asks what to keep of the fields
  // that both changed.
  function resolve(theirs: Card, who: string, changed: Field[]) {
    const other = fieldsOf(theirs, store);
    const differs = (a: Fields, b: Fields) => (Object.keys(empty) as Field[]).filter((k) => JSON.stringify(a[k]) !== JSON.stringify(b[k]));
    const changedByThem = differs(other, base);
    if (differs(other, values).some((k) => changedByThem.includes(k) && changed.includes(k))) return setConflict({ card: theirs, who });
    told(say, say("merged", { who, fields: changedByThem.map((k) => say(labels[k])).join(", ") }));
    save.mutate({ changed, from: theirs });
  }

  function differences(theirs: Card): Difference[] {
    const other = fieldsOf(theirs, store);
    return edit.changed
      .filter((name) => JSON.stringify(other[name]) !== JSON.stringify(values[name]))
      .map((name) => ({ name, label: say(labels[name]), mine: shown(values[name]), theirs: shown(other[name]) }));
  }

  // shown writes any field as a text to compare.
  function shown(v: unknown): string {
    if (typeof v === "boolean") return say(v ? "yes" : "no");
    if (Array.isArray(v)) return v.map(shown).join(", ");
    if (v && typeof v === "object") return Object.values(v).map(shown).filter(Boolean).join(" ");
    return String(v ?? "");
  }

  const { set } = edit;
  const setField = useCallback(<K extends Field>(name: K, value: Fields[K]) => {
    set(name, value);
    setFaults(({ [name]: _, cells, ...rest }) => (name === "variants" ? rest : cells ? { ...rest, cells } : rest));
  }, [set]);
  const context = useMemo(() => ({ shop, card, passport, locked, values, set: setField, faults }), [shop, card, passport, locked, values, setField, faults]);

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        if (!edit.dirty || save.isPending) return;
        if (edit.overtaken && card) setConflict({ card, who: "" });
        else save.mutate({ changed: edit.changed, from: card });
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
        <FormContext value={context}>
          <Grid>
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack>
                <Main isNew={!card} />
                <VariantsPanel />
                <Attributes />
                <Combo />
                <Links />
                <Seo />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack>
                <Place />
                <Price />
                <Stock />
                <Details />
              </Stack>
            </Grid.Col>
          </Grid>
        </FormContext>
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

function Main({ isNew }: { isNew: boolean }) {
  const { say, text, values, set, faults, locked } = useForm();
  return (
    <Panel>
      <TextInput {...text("name")} required maxLength={255} autoFocus={isNew} />
      <RichText label={say("description")} value={values.description} onChange={(v) => set("description", v)} error={faults.description} disabled={locked} maxLength={100000} />
      <Pictures label={say("pictures")} value={values.gallery} onChange={(ids) => set("gallery", ids)} max={100} error={faults.gallery} disabled={locked} />
    </Panel>
  );
}
