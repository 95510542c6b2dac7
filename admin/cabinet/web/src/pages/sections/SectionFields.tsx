import { Accordion, Alert, Card as Panel, Checkbox, Grid, MultiSelect, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Faults } from "../../parts/EditForm";
import { galleriesQuery } from "../../parts/galleries";
import { ShopLink } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { Pictures } from "../../parts/Pictures";
import { RichText } from "../../parts/RichText";
import { SeoFields } from "../../parts/SeoFields";
import { kinds, type SectionTree } from "../../parts/sections";
import type { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { words as seoWords } from "../../words/seo";
import type { Card, Fields } from "./fields";
import { ParentSelect } from "./ParentSelect";

interface Props {
  shop: string;
  edit: ReturnType<typeof useEdit<Fields>>;
  card: Card | undefined;
  tree: SectionTree;
  faults: Faults;
  locked: boolean;
  storefront: string;
  pin: { value: boolean; set: (on: boolean) => void } | undefined;
}

// SectionFields are the fields of a section, in panels.
export function SectionFields(props: Props) {
  const { shop, edit, card, tree, faults, locked, storefront } = props;
  const { say } = useWords(words);
  const { say: saySeo } = useWords(seoWords);
  const { values } = edit;
  const parent = tree.byID.get(Number(values.parent_id));
  const flag = (name: "is_published" | "is_show_menu" | "is_home", label: string, description?: string) => (
    <Switch label={label} description={description} checked={values[name]} disabled={locked} onChange={(e) => edit.set(name, e.currentTarget.checked)} error={faults[name]} />
  );
  const threeWay = (name: "comments_enabled" | "questions_enabled", label: string) => (
    <Select
      label={label}
      data={[
        { value: "shop", label: say("asShop") },
        { value: "true", label: say("on") },
        { value: "false", label: say("off") },
      ]}
      value={values[name] || "shop"}
      allowDeselect={false}
      readOnly={locked}
      onChange={(v) => edit.set(name, v === "shop" ? "" : (v as "true" | "false"))}
      error={faults[name]}
    />
  );
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack>
          <Panel withBorder>
            <Stack>
              <TextInput label={say("sectionName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} autoFocus={!card} dir="auto" />
              <RichText label={say("description")} value={values.description} onChange={(v) => edit.set("description", v)} error={faults.description} disabled={locked} maxLength={100000} />
              <Pictures label={say("picture")} value={values.preview} onChange={(v) => edit.set("preview", v)} max={1} error={faults.preview} disabled={locked} />
              <Galleries {...props} />
            </Stack>
          </Panel>
          <Panel withBorder>
            <Text fw={600} mb="sm">
              {saySeo("seo")}
            </Text>
            <SeoFields
              values={values}
              set={edit.set}
              faults={faults}
              locked={locked}
              name={values.name}
              text={values.description}
              address={storefront + tree.path(values.slug, parent, values.is_home)}
              alternates={card?.seo.alternates.length ?? 0}
            />
          </Panel>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack>
          <Panel withBorder>
            <Stack>
              {flag("is_published", say("published"))}
              {flag("is_show_menu", say("inMenu"))}
              {flag("is_home", say("home"), say("homeHint"))}
            </Stack>
          </Panel>
          <Panel withBorder>
            <Stack>
              <Select
                label={say("kind")}
                data={kinds.map((k) => ({ value: k, label: say(`kind_${k}_section`) }))}
                value={values.type}
                allowDeselect={false}
                readOnly={locked}
                onChange={(v) => edit.set("type", v as Fields["type"])}
                error={faults.type}
              />
              {!card && <ParentSelect tree={tree} label={say("parent")} value={values.parent_id} onChange={(v) => edit.set("parent_id", v ?? "0")} error={faults.parent_id} readOnly={locked} />}
              <Address {...props} />
            </Stack>
          </Panel>
          {card && (
            <Panel withBorder>
              <Stack gap="xs">
                <Text fw={600}>{say("contents")}</Text>
                <AnchorLink to="/$shop/products" params={{ shop }} search={{ section: card.id }} size="sm">
                  {say("productsInside", { n: card.count_products })}
                </AnchorLink>
                {card.type === "news" && <Text size="sm">{say("articlesInside", { n: card.count_articles })}</Text>}
              </Stack>
            </Panel>
          )}
          <Accordion variant="contained">
            <Accordion.Item value="more">
              <Accordion.Control>{say("more")}</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  {threeWay("comments_enabled", say("comments"))}
                  {threeWay("questions_enabled", say("questions"))}
                  <TextInput label={say("template")} description={say("templateHint")} value={values.page_template} onChange={(e) => edit.set("page_template", e.currentTarget.value)} error={faults.page_template} readOnly={locked} maxLength={255} dir="auto" />
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

// Address is the slug with the address that it makes, and what becomes of the present one.
function Address({ edit, card, tree, faults, locked, storefront, pin }: Props) {
  const { say } = useWords(words);
  const { values } = edit;
  const own = card && tree.byID.get(card.id);
  const path = tree.path(values.slug, tree.byID.get(Number(values.parent_id)), values.is_home);
  const renamed = own && values.slug !== own.seo.slug;
  return (
    <>
      <TextInput
        label={say("slug")}
        description={values.slug || values.is_home ? say("addressWill", { path }) : say("addressFromName")}
        value={values.slug}
        onChange={(e) => edit.set("slug", e.currentTarget.value)}
        error={faults.slug}
        readOnly={locked}
        maxLength={200}
        dir="ltr"
      />
      {renamed && own.is_published && (
        <Alert variant="light" p="xs">
          <Text size="sm">{say("oldAddressLeads", { path: tree.pathOf(own) })}</Text>
          {pin && <Checkbox mt="xs" label={say("pinOld")} checked={pin.value} onChange={(e) => pin.set(e.currentTarget.checked)} />}
        </Alert>
      )}
      {own?.is_published && <ShopLink href={storefront + tree.pathOf(own)} />}
    </>
  );
}

// Galleries links galleries of the shop, in their order. The list is read when the field is opened.
function Galleries({ shop, edit, card, faults, locked }: Props) {
  const { say } = useWords(words);
  const list = useQuery({ ...galleriesQuery(shop, 1, 100), enabled: false });
  const known = new Map([...(card?.galleries ?? []), ...(list.data?.result ?? [])].map((g) => [g.id, g.name]));
  return (
    <MultiSelect
      label={say("galleries")}
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={edit.values.gallery_ids}
      onChange={(v) => edit.set("gallery_ids", v)}
      onDropdownOpen={() => void list.refetch()}
      maxValues={15}
      searchable
      readOnly={locked}
      error={faults.gallery_ids}
    />
  );
}
