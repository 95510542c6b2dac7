import { ActionIcon, Button, Group, MultiSelect, Select, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, type Schemas } from "../../../api/client";
import { Failure } from "../../../frame/Failure";
import { galleriesQuery } from "../../../parts/galleries";
import { failed, told } from "../../../parts/notice";
import { Pictures } from "../../../parts/Pictures";
import { adsQuery, groupsQuery } from "../data";
import type { Card } from "../fields";
import { panel, type Part } from "../form";
import { Panel } from "./Panel";

type Linked = Schemas["CatalogGroupView"];

export const MorePictures = panel(["preview_id", "gallery_ids"], function MorePictures({ form }) {
  const { say, values, set, locked, faults } = form;
  return (
    <Panel title={say("morePictures")} folds faults={faults}>
      <Pictures label={say("cover")} value={values.preview_id} onChange={(ids) => set("preview_id", ids)} max={1} error={faults.preview_id} disabled={locked} />
      <Text size="xs" c="dimmed">
        {say("coverHint")}
      </Text>
      <Galleries form={form} />
    </Panel>
  );
});

function Galleries({ form: { shop, card, say, values, set, locked, faults } }: { form: Part<"gallery_ids"> }) {
  const galleries = useQuery(galleriesQuery(shop, 1, 100));
  const known = new Map([...(card?.galleries ?? []), ...(galleries.data?.result ?? [])].map((g) => [g.id, g.name]));
  return (
    <MultiSelect
      label={say("galleries")}
      data={[...known].map(([value, label]) => ({ value, label: label || value }))}
      value={values.gallery_ids}
      onChange={(ids) => set("gallery_ids", ids)}
      error={faults.gallery_ids}
      readOnly={locked}
      searchable
      maxValues={10}
      limit={100}
    />
  );
}

// GroupsAndAds are what else the product is tied to. They are saved at once: they are no fields of the
// product.
export const GroupsAndAds = panel([], function GroupsAndAds({ form }) {
  const { card, say } = form;
  if (!card || card.is_deleted) return null;
  return (
    <Panel title={say("groupsAndAds")} folds>
      <Groups card={card} form={form} />
      <Ads card={card} form={form} />
    </Panel>
  );
});

function Groups({ card, form: { shop, say, locked } }: { card: Card; form: Part<never> }) {
  const queries = useQueryClient();
  const groups = useQuery(groupsQuery(shop));
  const own = useQuery(groupsQuery(shop, card.id)).data ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const write = (g: Linked, product_ids: number[]) => answer(api.PUT("/product-groups/{id}", { params: { path: { id: g.id } }, body: { item: { product_ids }, expected_updated_at: g.updated_at } }));
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "groups"] });
  const change = useMutation({
    mutationFn: ({ group, ids }: { group: Linked; ids: number[] }) => write(group, ids),
    onSuccess: async (saved, { group }) => {
      setChosen(null);
      await refresh();
      told(say, say("saved"), () => write(saved.result, group.product_ids).then(refresh));
    },
    onError: (error) => failed(say, error),
  });
  if (groups.isError) return <Failure error={groups.error} retry={() => void groups.refetch()} />;
  if (groups.isPending) return <Skeleton h={60} />;
  const others = groups.data.filter((g) => !g.product_ids.includes(card.id));
  const other = others.find((g) => g.id === chosen);
  return (
    <Stack gap="xs" role="group" aria-label={say("groups")}>
      <Text size="sm" fw={500}>
        {say("groups")}
      </Text>
      {own.length === 0 && (
        <Text size="sm" c="dimmed">
          {say("inNoGroup")}
        </Text>
      )}
      {own.map((g) => (
        <Group key={g.id} justify="space-between" wrap="nowrap">
          <Text size="sm" dir="auto">
            {g.name}
          </Text>
          {!locked && (
            <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")} ${g.name}`} onClick={() => change.mutate({ group: g, ids: g.product_ids.filter((id) => id !== card.id) })}>
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!locked && others.length > 0 && (
        <Group gap="xs" wrap="nowrap">
          <Select aria-label={say("groups")} placeholder={say("addToGroup")} flex={1} data={others.map((g) => ({ value: g.id, label: g.name }))} value={chosen} onChange={setChosen} searchable limit={100} />
          <Button variant="default" disabled={!other} loading={change.isPending} onClick={() => other && change.mutate({ group: other, ids: [...other.product_ids, card.id] })}>
            {say("add")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Ads({ card, form: { shop, say, passport } }: { card: Card; form: Part<never> }) {
  const queries = useQueryClient();
  const ads = useQuery(adsQuery(shop, card.id));
  const write = (mode: "include" | "exclude") => answer(api.PUT("/products/{id}/ad-participation", { params: { path: { id: card.id } }, body: { mode } }));
  const change = useMutation({
    mutationFn: write,
    onSuccess: (_, mode) => {
      queries.setQueryData(adsQuery(shop, card.id).queryKey, mode);
      const other = mode === "include" ? "exclude" : "include";
      told(say, say("saved"), () => write(other).then(() => queries.setQueryData(adsQuery(shop, card.id).queryKey, other)));
    },
    onError: (error) => failed(say, error),
  });
  if (ads.isError) return <Failure error={ads.error} retry={() => void ads.refetch()} />;
  if (ads.isPending) return <Skeleton h={30} />;
  return (
    <Switch
      label={say("inFeeds")}
      description={say("inFeedsHint")}
      checked={ads.data === "include"}
      disabled={passport.role === "editor" || change.isPending}
      onChange={(e) => change.mutate(e.currentTarget.checked ? "include" : "exclude")}
    />
  );
}
