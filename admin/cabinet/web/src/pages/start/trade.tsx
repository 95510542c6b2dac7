// Forms of the steps that are about selling: delivery, payment and the shop's own domain.
import { Radio, Group, Skeleton, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { ConnectDomain, DomainRecords, domainQuery } from "../../parts/domain";
import { Form } from "../../parts/Form";
import { priceOf } from "../../parts/money";
import { useWords } from "../../words";
import { words } from "../../words/setup";
import type { StepProps } from "./Setup";
import { useTyped } from "../../parts/typed";

export function Delivery({ shop, passport, onDone }: StepProps) {
  const { say } = useWords(words);
  const { values, set, text, forget } = useTyped(`${shop}/step/delivery`, { kind: "delivery" as "delivery" | "pickup", name: say("courier"), price: "" });
  return (
    <Form
      submit={say("save")}
      fields={values}
      onSubmit={async () => {
        const price = priceOf(values.price, passport.store.price_digits, "price", say("notPrice"));
        await answer(api.POST("/v1/shop/delivery-options", { body: { kind: values.kind, name: values.name, price, needs_address: values.kind === "delivery" } }));
        forget();
        await onDone();
      }}
    >
      {({ at }) => (
        <>
          <Radio.Group label={say("kind")} value={values.kind} onChange={(kind) => set({ kind: kind as "delivery", name: say(kind === "delivery" ? "courier" : "atShop") })}>
            <Group mt={4}>
              <Radio value="delivery" label={say("delivery")} />
              <Radio value="pickup" label={say("pickup")} />
            </Group>
          </Radio.Group>
          <TextInput label={say("deliveryName")} required maxLength={255} {...text("name")} error={at("name")} dir="auto" />
          <TextInput label={say("deliveryPrice")} required inputMode="decimal" maxLength={20} rightSection={passport.store.currency} rightSectionWidth={52} {...text("price")} error={at("price")} />
        </>
      )}
    </Form>
  );
}

export function Payment({ shop, onDone }: StepProps) {
  const { say } = useWords(words);
  const { values, text, forget } = useTyped(`${shop}/step/payment`, { title: say("transfer"), instructions: "" });
  return (
    <Form
      submit={say("save")}
      fields={{ title: values.title, settings: values.instructions }}
      onSubmit={async () => {
        const { title, instructions } = values;
        await answer(api.PUT("/v1/shop/payment-methods/{method}", { params: { path: { method: "manual" } }, body: { title, is_active: true, settings: { instructions } as never } }));
        forget();
        await onDone();
      }}
    >
      {({ at }) => (
        <>
          <Text size="sm">{say("paymentText")}</Text>
          <TextInput label={say("paymentTitle")} required maxLength={255} {...text("title")} error={at("title")} dir="auto" />
          <Textarea label={say("instructions")} placeholder="IBAN PT50 0000 0000" required autosize minRows={2} maxRows={8} maxLength={4000} {...text("instructions")} error={at("settings")} dir="auto" />
        </>
      )}
    </Form>
  );
}

export function Domain({ shop, passport, onDone }: StepProps) {
  const { say } = useWords(words);
  const state = useQuery(domainQuery(shop));
  const active = state.data?.state === "active";
  useEffect(() => {
    if (active) void onDone();
    // onDone is new at each render of the list
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [active]);
  if (state.isError) return <Failure error={state.error} retry={() => void state.refetch()} />;
  if (!state.data) return <Skeleton h={80} />;
  if (state.data.domain) return <DomainRecords view={state.data} />;
  if (passport.role !== "owner") return <Text size="sm">{say("onlyManagers")}</Text>;
  return <ConnectDomain onDone={() => void state.refetch()} />;
}
