import { ActionIcon, Button, Card, Group, Input, Radio, SegmentedControl, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { IconArrowLeft, IconPlus, IconTrash, IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm, type Faults } from "../../parts/EditForm";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/prices";
import { ruleQuery, type Rule as Stored } from "./data";
import { Products, Sections } from "./Goods";
import { useNames } from "./names";
import { emptyRule, ruleFieldAt, ruleFieldsOf, ruleItemOf, tierText, type RuleFields, type Tier } from "./ruleFields";

const labels = { name: "promotionName", active: "on", category_ids: "sections", product_ids: "products", count: "count", tiers: "tiers" } as const satisfies Record<keyof RuleFields, keyof typeof words>;

// Rule is the page of one quantity price, or of a new one.
export function Rule() {
  const { shop, id } = useParams({ from: "/$shop/promotions/prices/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={ruleQuery(shop, id)}>
      {(passport, rule) => <Form key={shop + id} shop={shop} rule={rule} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, rule, passport }: { shop: string; rule: Stored | undefined; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { store } = passport;
  const base = useMemo(() => (rule ? ruleFieldsOf(rule, store) : emptyRule), [rule, store]);
  const edit = useEdit<RuleFields>(`${shop}/pricing-rule/${rule?.id ?? "new"}`, base);
  const { values } = edit;
  const [asking, setAsking] = useState(false);
  const locked = !passport.capabilities.pricing_write;
  const names = useNames(shop, { products: values.product_ids, sections: values.category_ids });
  const put = (saved: Stored) => {
    queries.setQueryData(ruleQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "pricing-rules"] });
  };

  // bodyOf is what is sent, and what "As a call" shows.
  function bodyOf(changed: (keyof RuleFields)[], from: Stored | undefined) {
    const { item, faults } = ruleItemOf(values, from ? changed : "all", store, say);
    return { body: from ? { item, expected_updated_at: from.updated_at } : { item }, faults };
  }
  const path = rule ? `/pricing-rules/${rule.id}` : "/pricing-rules";
  useShownCall(rule && !edit.dirty ? { method: "GET", path } : { method: rule ? "PUT" : "POST", path, body: bodyOf(edit.changed as (keyof RuleFields)[], rule).body });

  async function send(changed: (keyof RuleFields)[], from: Stored | undefined): Promise<Stored> {
    const { body, faults } = bodyOf(changed, from);
    if (values.product_ids.some((id) => !names.product(id))) faults.product_ids = say("takeOutDeleted");
    if (values.category_ids.some((id) => !names.section(id))) faults.category_ids = say("takeOutDeleted");
    const list = Object.entries(faults).map(([place, detail]) => ({ code: "PRICING_RULE_INVALID", place, detail: detail ?? "" }));
    if (list.length > 0) throw new Refusal(400, "PRICING_RULE_INVALID", list[0]!.detail, list);
    if (from) return (await answer(api.PUT("/pricing-rules/{id}", { params: { path: { id: from.id } }, body }))).result;
    const { name, tiers } = body.item;
    return (await answer(api.POST("/pricing-rules", { body: { item: { ...body.item, name: name!, tiers: tiers! } } }))).result;
  }

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/pricing-rules/{id}", { params: { path: { id: rule!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "pricing-rules"] });
      told(say, say("promotionDeleted", { name: rule!.name }));
      void navigate({ to: "/$shop/promotions/prices", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  function show(name: keyof RuleFields, value: unknown): string {
    if (name === "count") return say(`count_${value as RuleFields["count"]}`);
    if (name === "active") return say(value ? "on" : "off_state");
    if (name === "tiers") return (ruleItemOf({ ...values, tiers: value as Tier[] }, ["tiers"], store, say).item.tiers ?? []).map((t) => tierText({ percent: null, price: null, ...t }, store, language, say)).join("; ");
    if (name === "product_ids") return (value as number[]).map((id) => names.product(id) ?? say("deletedProduct", { id })).join(", ");
    if (name === "category_ids") return (value as string[]).map((id) => names.section(id) ?? say("deletedSection", { id })).join(", ");
    return String(value);
  }

  return (
    <Stack maw={800}>
      <AnchorLink to="/$shop/promotions/prices" params={{ shop }} size="sm" c="dimmed">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {say("quantityPrices")}
        </Group>
      </AnchorLink>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" dir="auto" maw="100%">
          {rule?.name ?? say("newRule")}
        </Title>
        {rule && !locked && (
          <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsking(true)}>
            {say("remove")}
          </Button>
        )}
      </Group>
      {rule && (
        <Text size="sm" c="dimmed">
          {say("version", { n: rule.version })}
        </Text>
      )}
      <EditForm
        edit={edit}
        base={rule}
        locked={locked}
        fieldsOf={(r) => ruleFieldsOf(r, store)}
        fieldAt={ruleFieldAt}
        labels={Object.fromEntries(Object.entries(labels).map(([name, word]) => [name, say(word)]))}
        show={show}
        send={(changed, from) => send(changed as (keyof RuleFields)[], from)}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!rule) void navigate({ to: "/$shop/promotions/prices/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <Card withBorder>
            <Stack>
              <TextInput label={say("promotionName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} autoFocus={!rule} dir="auto" />
              <Switch label={say("on")} checked={values.active} disabled={locked} onChange={(e) => edit.set("active", e.currentTarget.checked)} />
              <Sections shop={shop} value={values.category_ids} onChange={(ids) => edit.set("category_ids", ids)} locked={locked} error={faults.category_ids} />
              <Products shop={shop} label={say("products")} value={values.product_ids} onChange={(ids) => edit.set("product_ids", ids)} names={names} locked={locked} error={faults.product_ids} />
              <Radio.Group label={say("count")} value={values.count} onChange={(v) => !locked && edit.set("count", v as RuleFields["count"])} error={faults.count}>
                <Stack gap={6} mt={4}>
                  {(["line", "product", "rule"] as const).map((v) => (
                    <Radio key={v} value={v} label={say(`count_${v}`)} disabled={locked} />
                  ))}
                </Stack>
              </Radio.Group>
              <Tiers value={values.tiers} onChange={(tiers) => edit.set("tiers", tiers)} faults={faults} locked={locked} currency={store.currency} />
            </Stack>
          </Card>
        )}
      </EditForm>
      {asking && <Ask title={say("deleteRule", { name: rule!.name })} text={say("deleteRuleText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

const maxTiers = 20;

function Tiers({ value, onChange, faults, locked, currency }: { value: Tier[]; onChange: (tiers: Tier[]) => void; faults: Faults; locked: boolean; currency: string }) {
  const { say } = useWords(words);
  const change = (at: number, part: Partial<Tier>) => onChange(value.map((t, i) => (i === at ? { ...t, ...part } : t)));
  return (
    <Stack gap="xs" role="group" aria-label={say("tiers")}>
      <div>
        <Input.Label labelElement="div">{say("tiers")}</Input.Label>
        <Text size="sm" c={faults.tiers ? "var(--mantine-color-error)" : "dimmed"} role={faults.tiers ? "alert" : undefined}>
          {faults.tiers ?? say("tiersHint")}
        </Text>
      </div>
      {value.map((t, i) => (
        <Group key={i} gap="xs" align="flex-start">
          <TextInput aria-label={`${say("tierFrom")} ${i + 1}`} placeholder={say("tierFrom")} inputMode="numeric" maxLength={4} value={t.from} onChange={(e) => change(i, { from: e.currentTarget.value })} error={faults[`tiers[${i}].from`]} readOnly={locked} w={120} />
          <SegmentedControl
            aria-label={`${say("tiers")} ${i + 1}`}
            data={[
              { value: "percent", label: say("tierPercent") },
              { value: "price", label: say("tierPrice") },
            ]}
            value={t.unit}
            onChange={(unit) => change(i, { unit: unit as Tier["unit"] })}
            readOnly={locked}
          />
          <TextInput
            aria-label={`${say(t.unit === "percent" ? "tierPercent" : "tierPrice")} ${i + 1}`}
            inputMode="decimal"
            maxLength={20}
            rightSection={<Text size="sm">{t.unit === "percent" ? "%" : currency}</Text>}
            rightSectionWidth={52}
            value={t.value}
            onChange={(e) => change(i, { value: e.currentTarget.value })}
            error={faults[`tiers[${i}].value`]}
            readOnly={locked}
            w={150}
          />
          {!locked && (
            <ActionIcon variant="subtle" color="red" size="lg" aria-label={`${say("remove")}: ${say("tiers")} ${i + 1}`} onClick={() => onChange(value.filter((_, at) => at !== i))}>
              <IconX size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!locked && value.length < maxTiers && (
        <Group>
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => onChange([...value, { from: "", unit: value.at(-1)?.unit ?? "percent", value: "" }])}>
            {say("addTier")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
