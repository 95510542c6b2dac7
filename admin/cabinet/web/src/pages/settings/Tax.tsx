import { Button, Group, Radio, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api } from "../../api/client";
import { passportQuery, shopsQuery } from "../../frame/session";
import { Form } from "../../parts/Form";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { Rows, type RowColumn } from "../../parts/Rows";
import { useTyped } from "../../parts/typed";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { taxRow, type TaxRow } from "./fields";
import { SettingsForm, type SettingsProps } from "./SettingsForm";

const blank: TaxRow = { country: "", region: "", class: "standard", name: "", percent: "" };
const mostRates = 500;

// Tax is the page of taxes and of the currency.
export function Tax() {
  return (
    <SettingsForm page="tax" wide after={<Currency />}>
      {(form) => <Fields {...form} />}
    </SettingsForm>
  );
}

function Fields({ say, values, set, faults, inputs: { text, flag } }: SettingsProps) {
  const kind = values.tax_kind;
  return (
    <>
      <Panel title={say("f_tax_kind")}>
        <Radio.Group aria-label={say("f_tax_kind")} value={kind} onChange={(v) => set("tax_kind", v)} error={faults.tax_kind}>
          <Group>
            {(["none", "one", "table"] as const).map((k) => (
              <Radio key={k} value={k} label={say(`tax_${k}`)} />
            ))}
          </Group>
        </Radio.Group>
        {kind === "one" && (
          <>
            <Text size="sm">{say("taxOneHint")}</Text>
            <SimpleGrid cols={{ base: 1, sm: 2 }} maw={640}>
              <TextInput {...text("tax_name", 64)} required />
              <TextInput {...text("tax_percent", 7)} required inputMode="decimal" dir="ltr" />
            </SimpleGrid>
          </>
        )}
        {kind === "table" && (
          <>
            <TextInput {...text("tax_country", 2)} description={say("taxCountryHint")} required maw={320} dir="ltr" />
            <Switch {...flag("tax_included")} description={say("taxIncludedHint")} />
            <Switch {...flag("tax_exempt")} />
          </>
        )}
      </Panel>
      {kind === "table" && (
        <Panel title={say("f_tax_rates")} text={say("taxRatesHint")}>
          <Rates say={say} values={values} set={set} faults={faults} />
        </Panel>
      )}
    </>
  );
}

function Rates({ say, values, set, faults }: Pick<SettingsProps, "say" | "values" | "set" | "faults">) {
  const rows = values.tax_rates;
  // start adds the rates of a table that the program has, where the shop has none for the same.
  const start = useMutation({
    mutationFn: async () => (await answer(api.GET("/v1/shop/tax-rates", {}))).result,
    onSuccess: ({ as_of, rates }) => {
      const target = (r: TaxRow) => [r.country.trim().toUpperCase(), r.region.trim().toLowerCase(), r.class].join();
      const taken = new Set(rows.map(target));
      const more = rates.map(taxRow).filter((r) => !taken.has(target(r)));
      set("tax_rates", [...rows, ...more].slice(0, mostRates));
      told(say, say("startRatesAdded", { n: more.length, date: as_of }));
    },
    onError: (error) => failed(say, error),
  });
  const columns: RowColumn<TaxRow>[] = [
    { key: "country", label: say("country"), width: 90, maxLength: 2 },
    { key: "region", label: say("region"), width: 140, maxLength: 255 },
    { key: "class", label: say("taxClass"), width: 130, maxLength: 16, options: (["standard", "reduced", "zero"] as const).map((value) => ({ value, label: say(`class_${value}`) })) },
    { key: "name", label: say("f_tax_name"), width: 200, maxLength: 64 },
    { key: "percent", label: say("f_tax_percent"), width: 100, maxLength: 7, number: true },
  ];
  return (
    <Stack gap="xs">
      <Rows label={say("taxRate")} at="tax.rates" columns={columns} rows={rows} blank={blank} add={say("addTaxRate")} max={mostRates} faults={faults} locked={false} onChange={(next) => set("tax_rates", next)} />
      <Group>
        <Button variant="subtle" size="xs" loading={start.isPending} onClick={() => start.mutate()} h="auto" py={4} styles={{ label: { whiteSpace: "normal" } }}>
          {say("startRates")}
        </Button>
      </Group>
    </Stack>
  );
}

function Currency() {
  const { shop } = useParams({ from: "/$shop" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const { values, text, forget } = useTyped(`${shop}/currency`, { currency: passport?.store.currency ?? "" });
  if (!passport) return null;
  return (
    <Panel title={say("currency")} text={say("currencyText", { currency: passport.store.currency })}>
      {passport.role !== "owner" ? (
        <Text size="sm">{say("ownerOnly")}</Text>
      ) : (
        <Form
          submit={say("changeCurrency")}
          fields={values}
          onSubmit={async () => {
            const { result } = await answer(api.PUT("/v1/shop/currency", { body: { currency: values.currency.trim().toUpperCase() } }));
            forget();
            told(say, [say("saved"), result.payment_methods_off.length > 0 && say("methodsOff", { methods: result.payment_methods_off.join(", ") })].filter(Boolean).join(". "));
            void queries.invalidateQueries({ queryKey: [shop] });
            void queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
          }}
        >
          {({ at }) => <TextInput label={say("currency")} required maxLength={3} w={160} dir="ltr" {...text("currency")} error={at("currency")} />}
        </Form>
      )}
    </Panel>
  );
}
