import { PasswordInput, SimpleGrid, Skeleton, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { answer, api, type Body } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Copied } from "../../parts/Copied";
import { EditForm } from "../../parts/EditForm";
import { inputsOf } from "../../parts/inputs";
import { Unkept } from "../../parts/kept";
import { ButtonAnchor } from "../../parts/links";
import { Panel } from "../../parts/Panel";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { methodQuery, methodsQuery, type Method } from "./data";
import { Heading } from "./Heading";
import { isMethod, methods, shown, type MethodName } from "./methods";

interface Fields extends Record<string, unknown> {
  title: string;
  is_active: boolean;
  instructions: string;
  publishable_key: string;
  google_merchant_id: string;
  merchant_id: string;
  // What is sent but never shown again, and together: none of it is kept.
  secret_key: Unkept<string>;
  webhook_secret: Unkept<string>;
  shop_id: Unkept<string>;
  receipt: Unkept<boolean>;
  tax_system: Unkept<string>;
  vat_code: Unkept<string>;
}

type Item = Body<"put", "/v1/shop/payment-methods/{method}">;

const hidden = "…";
const nothing = new Unkept("");

const fieldsOf = (m: Method): Fields => ({
  title: m.title,
  is_active: m.is_active ?? false,
  instructions: m.instructions ?? "",
  publishable_key: m.settings?.publishable_key ?? "",
  google_merchant_id: m.settings?.google_merchant_id ?? "",
  merchant_id: m.settings?.merchant_id ?? "",
  secret_key: nothing,
  webhook_secret: nothing,
  shop_id: nothing,
  receipt: new Unkept(false),
  tax_system: nothing,
  vat_code: nothing,
});

// bodyOf writes the changed fields. Pasted secrets often have spaces or a line end around them.
function bodyOf(values: Fields, changed: (keyof Fields)[], name: MethodName): Item {
  const item: Item = {};
  if (changed.includes("title")) item.title = values.title;
  if (changed.includes("is_active")) item.is_active = values.is_active;
  if (changed.includes("instructions")) item.settings = { instructions: values.instructions };
  for (const key of shown) if (changed.includes(key)) item.settings = { ...item.settings, [key]: values[key].trim() };
  if (changed.some((field) => values[field] instanceof Unkept)) {
    const keys = Object.fromEntries(methods[name].map((key) => [key, values[key].value.trim()]));
    item.settings = { ...item.settings, ...keys, ...(values.receipt.value && { receipt: { tax_system: Number(values.tax_system.value), vat_code: Number(values.vat_code.value) } }) };
  }
  return item;
}

// Payment is the page of one way to pay.
export function Payment() {
  const { shop, method: name } = useParams({ from: "/$shop/settings/payments/$method" });
  const method = useQuery({ ...methodQuery(shop, name), enabled: isMethod(name) });
  if (!isMethod(name)) return <Failure page error={null} />;
  if (method.isError && !method.data) return <Failure page error={method.error} retry={() => void method.refetch()} />;
  if (!method.data) return <Skeleton h={320} />;
  return <Form key={shop + name} shop={shop} name={name} method={method.data} />;
}

function Form({ shop, name, method }: { shop: string; name: MethodName; method: Method }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const base = useMemo(() => fieldsOf(method), [method]);
  const edit = useEdit<Fields>(`${shop}/method/${name}`, base);
  const { values, set } = edit;
  const labels = Object.fromEntries(Object.keys(base).map((field) => [field, say(`m_${field as keyof Fields & "title"}`)]));
  const path = `/v1/shop/payment-methods/${name}`;
  const body = bodyOf(values, edit.changed, name);
  const shownSettings = edit.changed.some((field) => values[field] instanceof Unkept) && { settings: Object.fromEntries(Object.keys(body.settings ?? {}).map((key) => [key, hidden])) };
  useShownCall(edit.dirty ? { method: "PUT", path, body: { ...body, ...shownSettings, expected_updated_at: method.updated_at } } : { method: "GET", path });
  const put = (saved: Method) => queries.setQueryData(methodQuery(shop, name).queryKey, saved);
  return (
    <Stack maw={760}>
      <Heading title={say(`method_${name}`)} list={{ to: "/$shop/settings/payments", label: say("page_payments") }} />
      <Text size="sm">{say(`method_${name}_text`)}</Text>
      <EditForm
        edit={edit}
        base={method}
        labels={labels}
        locked={false}
        fieldsOf={fieldsOf}
        fieldAt={(place) => (place === "settings" ? (methods[name][0] ?? "instructions") : place === "settings.receipt" ? "tax_system" : place.replace("settings.", "") in base ? place.replace("settings.", "") : undefined)}
        show={(_, value) => (value instanceof Unkept ? hidden : typeof value === "boolean" ? (value ? "✓" : "—") : String(value))}
        send={async (changed, from) => (await answer(api.PUT("/v1/shop/payment-methods/{method}", { params: { path: { method: name } }, body: { ...bodyOf(values, changed, name), expected_updated_at: from!.updated_at } }))).result}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          void queries.invalidateQueries({ queryKey: methodsQuery(shop).queryKey });
          void queries.invalidateQueries({ queryKey: [shop, "setup"] });
        }}
      >
        {(faults) => {
          const { text, flag, unkept } = inputsOf({ values, set }, faults, false, labels);
          const account = { dir: "ltr" as const, required: !method.is_set, placeholder: method.is_set ? say("isSet") : "" };
          const toggle = { visibilityToggleButtonProps: { "aria-hidden": true } };
          return (
            <>
              <Panel title={say("page_payments")}>
                <TextInput {...text("title", 255)} required autoFocus={method.title === ""} />
                {name === "manual" && <Textarea {...text("instructions", 4000)} autosize minRows={2} maxRows={12} />}
                <Switch {...flag("is_active")} />
              </Panel>
              {methods[name].length > 0 && (
                <Panel title={say("keys")} text={say(method.is_set ? "keysSet" : "keysNotSet")}>
                  {name === "yookassa" && <TextInput {...unkept("shop_id", 500)} {...account} />}
                  <PasswordInput {...unkept("secret_key", 500)} {...account} {...toggle} />
                  {name === "stripe" && <PasswordInput {...unkept("webhook_secret", 500)} {...account} {...toggle} />}
                  {name === "yookassa" && <Switch {...flag("receipt")} />}
                  {values.receipt.value && (
                    <SimpleGrid cols={{ base: 1, sm: 2 }}>
                      <TextInput {...unkept("tax_system", 1)} inputMode="numeric" dir="ltr" />
                      <TextInput {...unkept("vat_code", 2)} inputMode="numeric" dir="ltr" />
                    </SimpleGrid>
                  )}
                </Panel>
              )}
              {name === "stripe" && (
                <Panel title={say("assistants")} text={say("assistantsText")}>
                  {shown.map((key) => (
                    <TextInput key={key} {...text(key, 255)} dir="ltr" />
                  ))}
                </Panel>
              )}
            </>
          );
        }}
      </EditForm>
      <After shop={shop} name={name} />
    </Stack>
  );
}

// After is what is left to do outside the form.
function After({ shop, name }: { shop: string; name: MethodName }) {
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  if (!passport || name === "manual") return null;
  if (name === "sandbox")
    return (
      <Panel title={say("tryPayment")} text={say("tryPaymentText")}>
        <ButtonAnchor href={passport.store.storefront_url} target="_blank" rel="noreferrer" style={{ alignSelf: "flex-start" }}>
          {say("toStorefront")}
        </ButtonAnchor>
      </Panel>
    );
  return (
    <Panel title={say("notices")} text={say("noticesText")}>
      <Copied text={`${location.origin}/v1/payments/${name}/${passport.store.id}`} />
    </Panel>
  );
}
