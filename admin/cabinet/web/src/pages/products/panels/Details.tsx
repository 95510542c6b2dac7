import { Autocomplete, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useWords } from "../../../words";
import { panel } from "../form";
import { Panel } from "./Panel";

export const Brand = panel(["brand", "tags"], function Brand({ form: { say, text, values, set, faults, locked } }) {
  return (
    <Panel>
      <TextInput {...text("brand")} maxLength={255} />
      <TagsInput label={say("tags")} description={say("tagsHint")} value={values.tags} onChange={(v) => set("tags", v)} maxTags={64} readOnly={locked} error={faults.tags} />
    </Panel>
  );
});

const fields = ["gtin", "weight_g", "country_of_origin", "tax_class", "is_shared", "catalog_hidden", "comments_enabled", "questions_enabled", "configurable"] as const;

// Details are the fields that most products leave as they are.
export const Details = panel(fields, function Details({ form: { say, text, choice, flag, values, set, faults, locked } }) {
  const { language } = useWords();
  const countries = useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    return letters.flatMap((a) => letters.map((b) => a + b)).flatMap((code) => {
      const name = names.of(code);
      return name ? [{ value: code, label: `${code} ${name}` }] : [];
    });
  }, [language]);
  const byShop = [
    { value: "", label: say("asTheShop") },
    { value: "true", label: say("yes") },
    { value: "false", label: say("no") },
  ];
  return (
    <Panel title={say("details")} folds faults={faults}>
      <TextInput {...text("gtin")} description={say("gtinHint")} inputMode="numeric" maxLength={14} dir="ltr" />
      <TextInput {...text("weight_g")} inputMode="numeric" maxLength={8} dir="ltr" />
      <Autocomplete
        label={say("country")}
        description={say("countryHint")}
        data={countries.map((c) => c.label)}
        value={countries.find((c) => c.value === values.country_of_origin)?.label ?? values.country_of_origin}
        onChange={(v) => set("country_of_origin", countries.find((c) => c.label === v)?.value ?? v)}
        error={faults.country_of_origin}
        readOnly={locked}
        limit={20}
      />
      <Select {...choice("tax_class")} data={(["standard", "reduced", "zero"] as const).map((value) => ({ value, label: say(`tax_${value}`) }))} />
      <Select {...choice("catalog_hidden")} data={byShop} />
      <Select {...choice("comments_enabled")} data={byShop} />
      <Select {...choice("questions_enabled")} data={byShop} />
      <Select {...choice("configurable")} data={byShop} description={say("configurableHint")} />
      <Switch {...flag("is_shared")} />
    </Panel>
  );
});
