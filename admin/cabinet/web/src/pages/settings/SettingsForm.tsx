import { Skeleton, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, shopsQuery } from "../../frame/session";
import { EditForm, type Faults } from "../../parts/EditForm";
import { inputsOf } from "../../parts/inputs";
import { useEdit } from "../../parts/useEdit";
import { settingsQuery } from "../../parts/shop";
import { useWords, type Say, type WordOf } from "../../words";
import { words } from "../../words/settings";
import { bodyOf, fieldAt, fieldsOf, refuse, type Field, type Fields, type Page, type Settings } from "./fields";
import { Heading } from "./Heading";

export interface SettingsProps {
  shop: string;
  say: Say<WordOf<typeof words>>;
  values: Fields;
  set: <K extends Field>(name: K, value: Fields[K]) => void;
  faults: Faults;
  inputs: ReturnType<typeof inputsOf<Fields>>;
}

// SettingsForm is a page of the shop's settings: some of the fields, saved in one call.
export function SettingsForm({ page, wide, after, children }: { page: Page; wide?: boolean; after?: ReactNode; children: (form: SettingsProps) => ReactNode }) {
  const { shop } = useParams({ from: "/$shop" });
  const { say } = useWords(words);
  const settings = useQuery(settingsQuery(shop));
  return (
    <Stack maw={wide ? undefined : 760}>
      <Heading title={say(`page_${page}`)} />
      {settings.isError && !settings.data ? (
        <Failure error={settings.error} retry={() => void settings.refetch()} />
      ) : !settings.data ? (
        <Skeleton h={480} />
      ) : (
        <>
          <Form key={shop} shop={shop} page={page} settings={settings.data}>
            {children}
          </Form>
          {after}
        </>
      )}
    </Stack>
  );
}

function Form({ shop, page, settings, children }: { shop: string; page: Page; settings: Settings; children: (form: SettingsProps) => ReactNode }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const base = useMemo(() => fieldsOf(settings), [settings]);
  const edit = useEdit<Fields>(`${shop}/settings/${page}`, base);
  const { values, set } = edit;
  const labels = useMemo(() => Object.fromEntries((Object.keys(base) as Field[]).map((name) => [name, say(`f_${name}`)])), [base, say]);
  const { body } = bodyOf(values, edit.changed, settings, say("notANumber"));
  useShownCall(edit.dirty ? { method: "PUT", path: "/v1/shop/settings", body: { ...body, expected_updated_at: settings.updated_at } } : { method: "GET", path: "/v1/shop/settings" });
  const put = (saved: Settings) => queries.setQueryData(settingsQuery(shop).queryKey, saved);
  return (
    <EditForm
      edit={edit}
      base={settings}
      labels={labels}
      locked={false}
      fieldsOf={fieldsOf}
      fieldAt={fieldAt}
      show={(_, value) => (Array.isArray(value) ? value.map((v) => (typeof v === "object" ? Object.values(v as object).join(" ") : String(v))).join(", ") : value === true ? "✓" : String(value || ""))}
      send={async (changed, from) => {
        const { body, faults } = bodyOf(values, changed, from!, say("notANumber"));
        refuse(faults);
        return (await answer(api.PUT("/v1/shop/settings", { body: { ...body, expected_updated_at: from!.updated_at } }))).result;
      }}
      onTheirs={put}
      onSaved={(saved) => {
        put(saved);
        void queries.invalidateQueries({ queryKey: passportQuery(shop).queryKey });
        void queries.invalidateQueries({ queryKey: [shop, "setup"] });
        if (saved.name !== settings.name) void queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
      }}
    >
      {(faults) => children({ shop, say, values, set, faults, inputs: inputsOf<Fields>({ values, set }, faults, false, labels) })}
    </EditForm>
  );
}
