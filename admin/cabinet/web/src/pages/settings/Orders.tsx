import { Select, SimpleGrid, Switch, Textarea, TextInput, type InputWrapperProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { Panel } from "../../parts/Panel";
import { SettingsForm, type SettingsProps } from "./SettingsForm";

// Orders is the page of how the shop works with orders, and of what product pages show.
export function Orders() {
  return <SettingsForm page="orders">{(form) => <Panels {...form} />}</SettingsForm>;
}

function Panels({ shop, say, values, inputs: { text, choice, flag } }: SettingsProps) {
  const campaigns = useQuery({
    queryKey: [shop, "promotions", "personal"],
    queryFn: async () => (await answer(api.GET("/promotions", { params: { query: { "filter.kind": "personal_coupon", "page.limit": 100 } } }))).result.items,
    enabled: values.reminder_hours !== "",
  });
  const below = { inputWrapperOrder: ["label", "input", "description", "error"] satisfies InputWrapperProps["inputWrapperOrder"] };
  const known = (campaigns.data ?? []).map((p) => ({ value: String(p.id), label: p.name }));
  const chosen = values.reminder_campaign;
  return (
    <>
      <Panel title={say("cancelling")}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...text("buyer_cancel", 9)} description={say("buyer_cancelHint")} inputMode="numeric" {...below} />
          <TextInput {...text("cancel_unpaid", 9)} description={say("cancel_unpaidHint")} inputMode="numeric" {...below} />
        </SimpleGrid>
        <Switch {...flag("cancel_manual")} />
      </Panel>
      <Panel title={say("left")}>
        <TextInput {...text("reminder_hours", 9)} description={say("reminder_hoursHint")} inputMode="numeric" {...below} />
        {values.reminder_hours !== "" && (
          <>
            <Select {...choice("reminder_campaign")} data={[{ value: "", label: say("noCampaign") }, ...known, ...(chosen && !known.some((k) => k.value === chosen) ? [{ value: chosen, label: chosen }] : [])]} />
            <Switch {...flag("reminder_consent")} />
          </>
        )}
      </Panel>
      <Panel title={say("papers")}>
        <TextInput {...text("invoice_prefix", 20)} description={say("invoice_prefixHint")} dir="ltr" />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...text("letters_from", 100)} />
          <TextInput {...text("letters_reply", 254)} type="email" />
        </SimpleGrid>
      </Panel>
      <Panel title={say("productPages")}>
        <Switch {...flag("comments")} />
        <Switch {...flag("questions")} />
        <Switch {...flag("client_prices")} description={say("client_pricesHint")} />
        <Textarea {...text("notes_delivery", 4000)} autosize minRows={2} maxRows={12} />
        <Textarea {...text("notes_returns", 4000)} autosize minRows={2} maxRows={12} />
      </Panel>
      <Panel title={say("byAssistants")}>
        <Select
          {...choice("assistants")}
          description={say("assistantsHint")}
          data={(["off", "catalog", "checkout"] as const).map((value) => ({ value, label: say(`assistants_${value}`) }))}
          allowDeselect={false}
          {...below}
        />
      </Panel>
      <Panel title={say("testing")}>
        <Switch {...flag("sandbox")} description={say("sandboxHint")} />
      </Panel>
    </>
  );
}
