import { Button, Card as Panel, Grid, Group, Select, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { faultText } from "../../frame/Failure";
import { type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Copied } from "../../parts/Copied";
import { EditForm, type Faults } from "../../parts/EditForm";
import { Heading, RemoveButton, ShopLink } from "../../parts/Heading";
import { inputsOf } from "../../parts/inputs";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/forms";
import { Builder } from "./Builder";
import { formQuery, formsQuery, type FormView } from "./data";
import { empty, fieldAt, itemOf, rowFaultAt, valuesOf, type Field, type Values } from "./fields";
import { Preview } from "./Preview";

const actions = ["text", "page", "url"] as const;

// FormPage is the page of one form, or of a new one.
export function FormPage() {
  const { shop, id } = useParams({ from: "/$shop/forms/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={formQuery(shop, id)}>
      {(passport, form) => <Form key={shop + id} shop={shop} form={form} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, form, passport }: { shop: string; form: FormView | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (form ? valuesOf(form) : empty), [form]);
  const edit = useEdit<Values>(`${shop}/form/${form?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.forms_write;
  const [asking, setAsking] = useState(false);
  const path = form ? `/forms/${form.id}` : "/forms";
  useShownCall(form && !edit.dirty ? { method: "GET", path } : form ? { method: "PUT", path, body: { item: itemOf(values), expected_updated_at: form.updated_at } } : { method: "POST", path, body: { item: itemOf(values) } });

  function put(saved: FormView) {
    queries.setQueryData(formQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: formsQuery(shop).queryKey });
  }
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/forms/{id}", { params: { path: { id: form!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: formsQuery(shop).queryKey });
      told(say, say("removed", { name: form!.name }));
      void navigate({ to: "/$shop/forms", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });
  const successURL = say(values.action === "page" ? "successPage" : "successURL");
  const labels = { name: say("formName"), fields: say("fields"), submit_text: say("submitText"), action: say("action"), success_text: say("successText"), success_url: successURL };

  return (
    <Stack>
      <Heading back={{ to: "/$shop/forms", label: say("forms") }} title={form?.name ?? say("newForm")}>
        {form && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      <EditForm
        edit={edit}
        base={form}
        locked={locked}
        fieldsOf={valuesOf}
        fieldAt={fieldAt}
        labels={labels}
        show={(name, value) => {
          if (name === "fields") return (value as Field[]).map((f) => f.label || f.name).join(", ");
          return name === "action" ? say(`action_${value as Values["action"]}`) : String(value);
        }}
        // A form is replaced as a whole: what was not changed is as it was read.
        send={async (changed, from) => {
          const kept = from ? valuesOf(from) : empty;
          const item = itemOf({ ...kept, ...Object.fromEntries(changed.map((name) => [name, values[name]])) });
          if (!from) return (await answer(api.POST("/forms", { body: { item } }))).result;
          return (await answer(api.PUT("/forms/{id}", { params: { path: { id: from.id } }, body: { item, expected_updated_at: from.updated_at } }))).result;
        }}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!form) void navigate({ to: "/$shop/forms/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults, refused) => {
          const rows: Faults = {};
          for (const f of refused) {
            const at = rowFaultAt(f.place, values.fields);
            if (at) rows[at] ??= faultText(f, say);
          }
          const { text } = inputsOf<Values>(edit, faults, locked, labels);
          return (
            <Grid>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <Stack>
                  <Panel withBorder>
                    <Stack>
                      <TextInput {...text("name", 255)} required autoFocus={!form} />
                      <Builder form={form?.id} value={values.fields} onChange={(fields) => edit.set("fields", fields)} faults={Object.keys(rows).length > 0 ? rows : { fields: faults.fields }} locked={locked} />
                    </Stack>
                  </Panel>
                  <Panel withBorder>
                    <Stack>
                      <Title order={2} size="h4">
                        {say("sending")}
                      </Title>
                      <TextInput {...text("submit_text", 100)} placeholder={say("submitDefault")} />
                      <Select
                        label={labels.action}
                        data={actions.map((value) => ({ value, label: say(`action_${value}`) }))}
                        value={values.action}
                        allowDeselect={false}
                        onChange={(v) => edit.set("action", v as Values["action"])}
                        error={faults.action}
                        readOnly={locked}
                      />
                      {values.action === "text" ? (
                        <Textarea {...text("success_text", 1000)} placeholder={say("successDefault")} autosize minRows={2} />
                      ) : (
                        <TextInput {...text("success_url", 2000)} dir="ltr" required placeholder={values.action === "page" ? "/thanks" : "https://"} />
                      )}
                    </Stack>
                  </Panel>
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Stack>
                  <Panel withBorder>
                    <Title order={2} size="h4" mb="sm">
                      {say("preview")}
                    </Title>
                    <Preview values={values} />
                  </Panel>
                  {form ? <Uses shop={shop} form={form} dirty={edit.dirty} passport={passport} /> : <Text size="sm">{say("later")}</Text>}
                </Stack>
              </Grid.Col>
            </Grid>
          );
        }}
      </EditForm>
      {asking && <Ask title={say("removeForm", { name: form!.name })} text={say("removeFormText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

// Uses says how a saved form gets on a page, and where its leads arrive.
function Uses({ shop, form, dirty, passport }: { shop: string; form: FormView; dirty: boolean; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => answer(api.POST("/forms/{id}/test", { params: { path: { id: form.id } }, body: {} })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [shop, "leads"] });
      told(say, say("tested"));
    },
    onError: (error) => failed(say, error),
  });
  return (
    <>
      <Panel withBorder>
        <Stack gap="sm">
          <Title order={2} size="h4">
            {say("place")}
          </Title>
          <Text size="sm">{say("placeLink")}</Text>
          <Copied text={`form:${form.id}`} />
          <Text size="sm">{say("placeBlock", { id: form.id })}</Text>
          <Text size="sm">{say("placePage")}</Text>
          <ShopLink href={`${passport.store.storefront_url}/_vitrine/form/${form.id}`} />
        </Stack>
      </Panel>
      <Panel withBorder>
        <Stack gap="sm">
          <Title order={2} size="h4">
            {say("arrive")}
          </Title>
          <Text size="sm">{say("arriveText")}</Text>
          {passport.role !== "editor" && (
            <AnchorLink to="/$shop/letters/$name" params={{ shop, name: "lead_seller" }} size="sm">
              {say("arriveLetter")}
            </AnchorLink>
          )}
          {passport.capabilities.forms_write && (
            <Group gap="xs">
              <Button variant="default" disabled={dirty} loading={test.isPending} onClick={() => test.mutate()}>
                {say("test")}
              </Button>
              {dirty && (
                <Text size="sm" c="dimmed">
                  {say("testLater")}
                </Text>
              )}
            </Group>
          )}
        </Stack>
      </Panel>
    </>
  );
}
