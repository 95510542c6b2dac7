import { Checkbox, Group, Select, SimpleGrid, Switch, Textarea, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { Panel } from "../../parts/Panel";
import { Pictures } from "../../parts/Pictures";
import { SettingsForm, type SettingsProps } from "./SettingsForm";

// Shop is the page of what every page of the shop shows of it.
export function Shop() {
  return <SettingsForm page="shop">{(form) => <Panels {...form} />}</SettingsForm>;
}

function Panels({ say, values, set, faults, inputs: { text, choice, flag, pictures } }: SettingsProps) {
  const zones = useMemo(() => [...new Set([values.timezone, ...Intl.supportedValuesOf("timeZone"), "UTC"])].sort(), [values.timezone]);
  return (
    <>
      <Panel title={say("basics")}>
        <TextInput {...text("name", 255)} required />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Pictures {...pictures("logo", 1)} />
          <Pictures {...pictures("favicon", 1)} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select {...choice("language")} data={[{ value: "en", label: "English" }, { value: "ru", label: "Русский" }]} inputWrapperOrder={["label", "input", "description", "error"]} />
          <Select {...choice("timezone")} description={say("timezoneHint")} data={zones} searchable limit={50} nothingFoundMessage={say("nothingFound")} inputWrapperOrder={["label", "input", "description", "error"]} />
        </SimpleGrid>
      </Panel>
      <Panel title={say("contacts")} text={say("contactsHint")}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...text("email", 254)} type="email" />
          <TextInput {...text("phone", 64)} type="tel" />
        </SimpleGrid>
        <Textarea {...text("address", 500)} autosize minRows={2} />
        <TextInput {...text("hours", 255)} />
        <Textarea {...text("socials", 20_000)} description={say("socialsHint")} autosize minRows={2} maxRows={10} dir="ltr" />
      </Panel>
      <Panel title={say("legal")}>
        <TextInput {...text("legal_name", 255)} />
        <Textarea {...text("legal_details", 4000)} autosize minRows={2} maxRows={12} />
      </Panel>
      <Panel title={say("searching")}>
        <TextInput {...text("seo_title", 255)} />
        <Textarea {...text("seo_description", 1000)} autosize minRows={2} />
        <Pictures {...pictures("seo_image", 1)} />
        <Switch {...flag("seo_noindex")} />
      </Panel>
      <Panel title={say("security")}>
        <Checkbox.Group label={say("f_second_factor")} description={say("second_factorHint")} value={values.second_factor} onChange={(roles) => set("second_factor", roles)} error={faults.second_factor}>
          <Group mt="xs">
            {(["owner", "admin", "editor"] as const).map((role) => (
              <Checkbox key={role} value={role} label={say(role)} />
            ))}
          </Group>
        </Checkbox.Group>
      </Panel>
    </>
  );
}
