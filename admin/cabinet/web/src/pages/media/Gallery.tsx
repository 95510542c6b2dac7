import { Alert, Button, Card as Panel, Group, List, Modal, Stack, Text, TextInput, Title } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import type { Gallery as Row } from "../../parts/galleries";
import { Heading, RemoveButton } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/media";
import { Items, type Item } from "./Items";

interface Fields extends Record<string, unknown> {
  name: string;
  items: Item[];
}

const empty: Fields = { name: "", items: [] };

function fieldsOf(g: Row): Fields {
  const items = g.items.map(({ item_key, kind, file, poster, html, caption }) => ({ item_key, kind, file: file?.id ?? null, poster: poster?.id ?? null, html, caption }));
  return { name: g.name, items };
}

function bodyOf(values: Fields, changed: (keyof Fields)[], from: Row | undefined) {
  const items: Schemas["CatalogGalleryItemInput"][] = values.items.map(({ file, poster, ...item }) => ({ ...item, file: file ? { id: file } : null, poster: poster ? { id: poster } : null }));
  return {
    item: { ...(changed.includes("name") ? { name: values.name } : {}), ...(changed.includes("items") ? { items, items_replace: true } : {}) },
    ...(from ? { expected_updated_at: from.updated_at } : {}),
  };
}

const galleryQuery = (shop: string, id: string) =>
  queryOptions({
    queryKey: [shop, "gallery", id],
    queryFn: async () => (await answer(api.GET("/galleries/{id}", { params: { path: { id } } }))).result,
    staleTime: 0,
    refetchOnWindowFocus: false, // a form must not change below the person's hands
    refetchOnReconnect: false,
  });

// Gallery is the page of one gallery, or of a new one.
export function Gallery() {
  const { shop, id } = useParams({ from: "/$shop/files/galleries/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={galleryQuery(shop, id)}>
      {(passport, gallery) => <Form key={shop + id} shop={shop} gallery={gallery} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, gallery, passport }: { shop: string; gallery: Row | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (gallery ? fieldsOf(gallery) : empty), [gallery]);
  const edit = useEdit<Fields>(`${shop}/gallery/${gallery?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.catalog_write;
  const canvas = gallery?.source === "canvas";
  const [deleting, setDeleting] = useState(false);
  const path = gallery ? `/galleries/${gallery.id}` : "/galleries";
  useShownCall(gallery && !edit.dirty ? { method: "GET", path } : { method: gallery ? "PUT" : "POST", path, body: bodyOf(values, gallery ? edit.changed : ["name", "items"], gallery) });
  const put = (saved: Row) => queries.setQueryData(galleryQuery(shop, saved.id).queryKey, saved);

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/galleries/{id}", { params: { path: { id: gallery!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "galleries"] });
      void navigate({ to: "/$shop/files/galleries", params: { shop } });
    },
    onError: (error) => {
      setDeleting(false);
      failed(say, error);
    },
  });

  return (
    <Stack maw={900}>
      <Heading back={{ to: "/$shop/files/galleries", label: say("galleries") }} title={gallery ? gallery.name : say("newGallery")}>
        {gallery && !locked && <RemoveButton onClick={() => setDeleting(true)} />}
      </Heading>
      {canvas && <Alert variant="light">{say("ofCanvas")}</Alert>}
      <EditForm
        edit={edit}
        base={gallery}
        send={async (changed, from) =>
          from
            ? (await answer(api.PUT("/galleries/{id}", { params: { path: { id: from.id } }, body: bodyOf(values, changed, from) }))).result
            : (await answer(api.POST("/galleries", { body: bodyOf(values, ["name", "items"], undefined) }))).result
        }
        fieldsOf={fieldsOf}
        fieldAt={(place) => (/(^|\.)name$/.test(place) ? "name" : place.includes("items") ? "items" : undefined)}
        locked={locked}
        labels={{ name: say("galleryName"), items: say("items") }}
        show={(name, value) => (name === "items" ? (value as Item[]).map((i) => i.caption || i.kind).join(", ") : String(value))}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          void queries.invalidateQueries({ queryKey: [shop, "galleries"] });
          if (!gallery) void navigate({ to: "/$shop/files/galleries/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <Panel withBorder>
            <Stack>
              <TextInput label={say("galleryName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} dir="auto" autoFocus={!gallery} />
              <Items items={values.items} onChange={(items) => edit.set("items", items)} error={faults.items} locked={locked} />
            </Stack>
          </Panel>
        )}
      </EditForm>
      {gallery && <UsedIn shop={shop} id={gallery.id} />}
      <Modal opened={deleting} onClose={() => setDeleting(false)} title={say("deleteGallery")} closeButtonProps={{ "aria-label": say("close") }}>
        <Text size="sm">{say("deleteGalleryText")}</Text>
        <Group mt="md" justify="flex-end">
          <Button variant="default" onClick={() => setDeleting(false)} data-autofocus>
            {say("cancel")}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {say("remove")}
          </Button>
        </Group>
      </Modal>
    </Stack>
  );
}

// UsedIn lists what shows a gallery.
function UsedIn({ shop, id }: { shop: string; id: string }) {
  const { say } = useWords(words);
  const { data } = useQuery({ queryKey: [shop, "gallery", id, "usage"], queryFn: async () => (await answer(api.GET("/galleries/{id}/usage", { params: { path: { id } } }))).result });
  if (!data) return null;
  return (
    <Panel withBorder>
      <Title order={2} size="h4" mb="sm">
        {say("usedIn")}
      </Title>
      {data.total === 0 && <Text size="sm">—</Text>}
      <List size="sm" spacing={4} listStyleType="none">
        {data.products.map((p) => (
          <List.Item key={`p${p.id}`}>
            {say("use_product")} <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(p.id) }} size="sm" dir="auto" children={p.name} />
          </List.Item>
        ))}
        {data.variant_sets.map((v) => (
          <List.Item key={`v${v.id}`}>
            {say("use_variant")} <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(v.product_id) }} size="sm" dir="auto" children={v.title || v.sku || String(v.id)} />
          </List.Item>
        ))}
        {data.articles.map((a) => (
          <List.Item key={`a${a.id}`}>
            {say("use_article")} <AnchorLink to="/$shop/articles/$id" params={{ shop, id: String(a.id) }} size="sm" dir="auto" children={a.name} />
          </List.Item>
        ))}
        {data.categories.map((c) => (
          <List.Item key={`c${c.id}`}>
            {say("use_category")} <AnchorLink to="/$shop/sections/$id" params={{ shop, id: String(c.id) }} size="sm" dir="auto" children={c.name} />
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}
