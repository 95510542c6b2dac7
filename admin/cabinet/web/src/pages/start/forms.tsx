// Forms of the steps that are about what the shop shows.
import { Group, Select, Skeleton, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { Form } from "../../parts/Form";
import { ButtonAnchor, ButtonLink } from "../../parts/links";
import { priceOf } from "../../parts/money";
import { Pictures } from "../../parts/Pictures";
import { sectionOptions, treeQuery } from "../../parts/sections";
import { settingsQuery } from "../../parts/shop";
import { useWords } from "../../words";
import { words } from "../../words/setup";
import type { StepProps } from "./Setup";
import { useTyped } from "../../parts/typed";

export function Contacts({ shop, onDone }: StepProps) {
  const settings = useQuery(settingsQuery(shop));
  if (settings.isError) return <Failure error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data) return <Skeleton h={240} />;
  return <ContactsOf shop={shop} settings={settings.data} onDone={onDone} />;
}

function ContactsOf({ shop, settings, onDone }: { shop: string; settings: Schemas["SettingSettingsView"]; onDone: () => Promise<void> }) {
  const { say } = useWords(words);
  const { values, set, text, forget } = useTyped(`${shop}/step/contacts`, { name: settings.name, logo: settings.logo_id, email: settings.contacts.email, phone: settings.contacts.phone });
  return (
    <Form
      submit={say("save")}
      fields={{ name: values.name, logo_id: values.logo, "contacts.email": values.email, "contacts.phone": values.phone }}
      onSubmit={async () => {
        const { name, logo, email, phone } = values;
        const body = { name, logo_id: logo, contacts: { ...settings.contacts, email, phone }, expected_updated_at: settings.updated_at };
        await answer(api.PUT("/v1/shop/settings", { body }));
        forget();
        await onDone();
      }}
    >
      {({ at }) => (
        <>
          <Text size="sm">{say("contactsText")}</Text>
          <TextInput label={say("shopName")} required maxLength={255} {...text("name")} error={at("name")} dir="auto" />
          <Pictures label={say("logo")} value={values.logo ? [values.logo] : []} max={1} onChange={([logo]) => set({ logo: logo ?? null })} error={at("logo_id")} />
          <TextInput label={say("email")} type="email" maxLength={254} {...text("email")} error={at("contacts.email")} />
          <TextInput label={say("phone")} type="tel" maxLength={64} {...text("phone")} error={at("contacts.phone")} />
        </>
      )}
    </Form>
  );
}

export function FirstProduct({ shop, passport, onDone }: StepProps) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const sections = useQuery(treeQuery(shop));
  const options = sectionOptions(sections.data ?? []);
  const { values, set, text, forget } = useTyped(`${shop}/step/product`, { section: "", sectionName: "", name: "", price: "", gallery: [] as string[] });

  // sectionFor returns the chosen section, or makes the first one. It is chosen from then on, so that
  // a second attempt makes no second one.
  async function sectionFor() {
    if (options.length > 0) return values.section || options[0]!.value;
    const item = { name: values.sectionName, type: "product" as const, is_published: true, is_show_menu: true };
    const made = String((await answer(api.POST("/categories", { body: { item } }))).result.id);
    set({ section: made });
    await queries.invalidateQueries({ queryKey: treeQuery(shop).queryKey });
    return made;
  }

  return (
    <Form
      submit={say("publishProduct")}
      fields={{ "item.name": values.name, "item.price.price": values.price, "item.gallery": values.gallery }}
      onSubmit={async () => {
        const price = priceOf(values.price, passport.store.price_digits, "item.price.price", say("notPrice"));
        const category_id = Number(await sectionFor());
        await answer(api.POST("/products", { body: { item: { name: values.name, category_id, is_published: true, price: { price }, gallery: values.gallery } } }));
        forget();
        await onDone();
      }}
    >
      {({ at }) => (
        <>
          {options.length > 0 ? (
            <Select label={say("section")} data={options} value={values.section || options[0]!.value} allowDeselect={false} onChange={(section) => set({ section: section ?? "" })} />
          ) : (
            <TextInput label={say("newSection")} description={say("newSectionHint")} required maxLength={255} {...text("sectionName")} dir="auto" />
          )}
          <TextInput label={say("productName")} required maxLength={255} {...text("name")} error={at("item.name")} dir="auto" />
          <TextInput
            label={say("price")}
            required
            inputMode="decimal"
            maxLength={20}
            rightSection={passport.store.currency}
            rightSectionWidth={52}
            {...text("price")}
            error={at("item.price.price")}
          />
          <Pictures label={say("pictures")} value={values.gallery} max={10} onChange={(gallery) => set({ gallery })} error={at("item.gallery")} />
        </>
      )}
    </Form>
  );
}

export function Page({ shop, onDone }: StepProps) {
  const { say } = useWords(words);
  const { values, text, forget } = useTyped(`${shop}/step/page`, { name: say("aboutUs"), description: "" });
  return (
    <Form
      submit={say("publishPage")}
      fields={{ "item.name": values.name, "item.description": values.description }}
      onSubmit={async () => {
        await answer(api.POST("/categories", { body: { item: { ...values, type: "page", is_published: true, is_show_menu: true } } }));
        forget();
        await onDone();
      }}
    >
      {({ at }) => (
        <>
          <TextInput label={say("pageName")} required maxLength={255} {...text("name")} error={at("item.name")} dir="auto" />
          <Textarea label={say("pageText")} autosize minRows={4} maxRows={16} maxLength={100_000} {...text("description")} error={at("item.description")} dir="auto" />
        </>
      )}
    </Form>
  );
}

export function Design({ shop, passport }: StepProps) {
  const { say } = useWords(words);
  return (
    <>
      <Text size="sm">{say("designText")}</Text>
      {passport.role !== "editor" && (
        <ButtonLink to="/$shop/settings/look" params={{ shop }} mt="sm">
          {say("toLook")}
        </ButtonLink>
      )}
    </>
  );
}

export function Opening({ onDone }: StepProps) {
  const { say } = useWords(words);
  return (
    <Form
      submit={say("openShopNow")}
      onSubmit={async () => {
        await answer(api.PUT("/v1/shop/state", { body: { closed: false } }));
        await onDone();
      }}
    >
      {() => <Text size="sm">{say("openText")}</Text>}
    </Form>
  );
}

export function FirstOrder({ passport }: StepProps) {
  const { say } = useWords(words);
  return (
    <>
      <Text size="sm" mb="sm">
        {say("orderText")}
      </Text>
      <Group>
        <ButtonAnchor href={passport.store.storefront_url} target="_blank" rel="noreferrer">
          {say("toStorefront")}
        </ButtonAnchor>
      </Group>
    </>
  );
}
