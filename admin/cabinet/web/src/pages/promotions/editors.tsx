// What each part of the sentence opens: the fields that it says.
import { Button, Checkbox, Group, MultiSelect, Radio, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { answer, api } from "../../api/client";
import type { Passport } from "../../frame/session";
import { dayAfter, momentField, todayIn } from "../../parts/dates";
import { ProductSelect } from "../../parts/ProductSelect";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import { groupsQuery } from "./data";
import type { Faults, Fields } from "./fields";
import { Products, Sections } from "./Goods";
import { kinds, type Kind } from "./search";
import type { Names, Part } from "./sentence";

export interface EditorProps {
  shop: string;
  store: Passport["store"];
  values: Fields;
  set: <K extends keyof Fields>(name: K, value: Fields[K]) => void;
  faults: Faults;
  locked: boolean;
  names: Names;
}

type TextField = { [K in keyof Fields]: Fields[K] extends string ? K : never }[keyof Fields];

// useFields returns the properties of inputs for the fields of a promotion.
function useFields({ values, set, faults, locked, store }: EditorProps) {
  const text = (name: TextField) => ({
    value: values[name],
    onChange: (e: { currentTarget: { value: string } }) => set(name, e.currentTarget.value as never),
    error: faults[name],
    readOnly: locked,
    maxLength: 64,
  });
  return {
    text,
    number: (name: TextField) => ({ ...text(name), inputMode: "numeric" as const, maxLength: 12 }),
    money: (name: TextField) => ({ ...text(name), inputMode: "decimal" as const, maxLength: 20, rightSection: <Text size="sm">{store.currency}</Text>, rightSectionWidth: 52 }),
  };
}

function KindEditor({ values, set, faults, locked }: EditorProps) {
  const { say } = useWords(words);
  return (
    <Radio.Group aria-label={say("part_kind")} value={values.kind} onChange={(kind) => !locked && set("kind", kind as Kind)} error={faults.kind}>
      <Stack gap="xs">
        {kinds.map((kind) => (
          <Radio key={kind} value={kind} label={say(`kind_${kind}`)} description={say(`kindText_${kind}`)} disabled={locked} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function ValueEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { values, set, locked } = props;
  const { text, money } = useFields(props);
  if (values.kind === "gift") return <GiftEditor {...props} />;
  const percent = values.unit === "percent";
  return (
    <Group align="flex-end" gap="xs">
      <SegmentedControl
        aria-label={say("unit")}
        data={[
          { value: "percent", label: say("percent") },
          { value: "amount", label: say("amount") },
        ]}
        value={values.unit}
        onChange={(unit) => set("unit", unit as Fields["unit"])}
        readOnly={locked}
      />
      <TextInput label={say("part_value")} {...(percent ? { ...text("off"), inputMode: "decimal", rightSection: "%" } : money("off"))} w={180} />
    </Group>
  );
}

function GiftEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { shop, values, set, names, locked, faults } = props;
  const { number } = useFields(props);
  const gift = useQuery({
    queryKey: [shop, "product", values.gift, "variants"],
    queryFn: async () => (await answer(api.GET("/products/{id}", { params: { path: { id: values.gift! } } }))).result.variants,
    enabled: values.gift !== null,
    retry: false,
  });
  const variants = gift.data ?? [];
  return (
    <Stack gap="sm">
      {values.gift && (
        <Text size="sm" fw={500} dir="auto">
          {names.product(values.gift) ?? say("deletedProduct", { id: values.gift })}
        </Text>
      )}
      {!locked && (
        <ProductSelect
          shop={shop}
          label={say("findProduct")}
          without={values.gift ? [values.gift] : []}
          error={faults.gift ?? faults.off}
          onChoose={(id) => {
            set("gift", id);
            set("gift_variant", "");
          }}
        />
      )}
      {variants.length > 0 && (
        <Select
          label={say("variant")}
          placeholder={say("anyVariant")}
          data={variants.map((v) => ({ value: String(v.id), label: Object.values(v.options).join(" / ") || v.sku || String(v.id) }))}
          value={values.gift_variant || null}
          onChange={(v) => set("gift_variant", v ?? "")}
          error={faults.gift_variant}
          readOnly={locked}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say("giftQuantity")} {...number("gift_quantity")} />
        <TextInput label={say("giftPer")} placeholder={say("giftPerHint")} {...number("gift_per")} />
      </SimpleGrid>
    </Stack>
  );
}

const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"; // none looks like another

const madeUp = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (n) => letters[n % letters.length]).join("");

function CodeEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { set, locked } = props;
  return (
    <Group align="flex-end" gap="xs">
      <TextInput label={say("codeField")} description={say("codeHint")} {...useFields(props).text("code")} styles={{ input: { textTransform: "uppercase" } }} dir="ltr" flex="1 1 220px" />
      {!locked && (
        <Button variant="default" onClick={() => set("code", madeUp())}>
          {say("generate")}
        </Button>
      )}
    </Group>
  );
}

function GoodsEditor({ shop, values, set, names, locked, faults }: EditorProps) {
  const { say } = useWords(words);
  return (
    <Stack gap="sm">
      <Sections shop={shop} value={values.category_ids} onChange={(ids) => set("category_ids", ids)} locked={locked} error={faults.category_ids} />
      <Products shop={shop} label={say("products")} value={values.product_ids} onChange={(ids) => set("product_ids", ids)} names={names} locked={locked} error={faults.product_ids} />
      <Text size="sm" c="dimmed">
        {say("goodsHint")}
      </Text>
    </Stack>
  );
}

function WithoutEditor({ shop, values, set, names, locked, faults }: EditorProps) {
  const { say } = useWords(words);
  return <Products shop={shop} label={say("exceptProducts")} value={values.exclude_product_ids} onChange={(ids) => set("exclude_product_ids", ids)} names={names} locked={locked} error={faults.exclude_product_ids} />;
}

function LeastEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { number, money } = useFields(props);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say("minTotal")} {...money("min_total")} />
        <TextInput label={say("minQuantity")} {...number("min_quantity")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {say("leastHint")}
      </Text>
    </Stack>
  );
}

function BuyersEditor({ shop, values, set, faults, locked }: EditorProps) {
  const { say } = useWords(words);
  const groups = useQuery(groupsQuery(shop));
  const known = (groups.data ?? []).map((g) => ({ value: g.id, label: g.name }));
  const gone = groups.data ? values.customer_group_ids.filter((id) => !known.some((g) => g.value === id)).map((id) => ({ value: id, label: say("deletedGroup", { id }) })) : [];
  return (
    <Stack gap="sm">
      <Checkbox label={say("firstOrder")} checked={values.first_order} disabled={locked} onChange={(e) => set("first_order", e.currentTarget.checked)} />
      <MultiSelect
        label={say("groupsOfCustomers")}
        description={say("groupsHint")}
        data={[...known, ...gone]}
        value={values.customer_group_ids}
        onChange={(ids) => set("customer_group_ids", ids)}
        error={faults.customer_group_ids}
        readOnly={locked}
        searchable
        nothingFoundMessage={say(known.length > 0 ? "nothingFound" : "noGroups")}
      />
    </Stack>
  );
}

// weekendOf is the weekend that is now or comes next: from Saturday 0:00 to Monday 0:00.
function weekendOf(today: string) {
  const weekday = new Date(today).getUTCDay();
  const saturday = dayAfter(today, weekday === 0 ? -1 : 6 - weekday);
  return { from: saturday + "T00:00", to: dayAfter(saturday, 2) + "T00:00" };
}

function TimeEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { set, store, locked } = props;
  const { text } = useFields(props);
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput {...momentField} label={say("startsAt", { zone: store.timezone })} {...text("starts_at")} />
        <TextInput {...momentField} label={say("endsAt", { zone: store.timezone })} {...text("ends_at")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {say("timeHint")}
      </Text>
      {!locked && (
        <Group>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              const { from, to } = weekendOf(todayIn(store.timezone));
              set("starts_at", from);
              set("ends_at", to);
            }}
          >
            {say("weekend")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function LimitsEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { number, money } = useFields(props);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label={say("limitTotal")} {...number("limit_total")} />
        <TextInput label={say("limitPerBuyer")} {...number("limit_per_buyer")} />
        <TextInput label={say("limitBudget")} {...money("limit_budget")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {say("limitsHint")}
      </Text>
    </Stack>
  );
}

function IssueEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { values, set, locked } = props;
  const { text, number, money } = useFields(props);
  return (
    <Stack gap="sm">
      <Checkbox label={say("issueByOrders")} checked={values.issue} disabled={locked} onChange={(e) => set("issue", e.currentTarget.checked)} />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {values.issue && <TextInput label={say("issueMinTotal")} {...money("issue_min_total")} />}
        <TextInput label={say("issueDays")} placeholder={say("issueDaysHint")} {...number("issue_days")} />
        <TextInput label={say("issuePrefix")} {...text("issue_prefix")} dir="ltr" styles={{ input: { textTransform: "uppercase" } }} />
      </SimpleGrid>
    </Stack>
  );
}

function OrderEditor(props: EditorProps) {
  const { say } = useWords(words);
  const { values, set, locked } = props;
  return (
    <Stack gap="sm">
      {(values.kind === "order_discount" || values.stacking !== "stack") && (
        <Radio.Group aria-label={say("part_order")} value={values.stacking} onChange={(v) => !locked && set("stacking", v as Fields["stacking"])}>
          <Stack gap="xs">
            {(["stack", "exclusive"] as const).map((v) => (
              <Radio key={v} value={v} label={say(`stacking_${v}`)} disabled={locked} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <TextInput label={say("priority")} description={say("priorityHint")} {...useFields(props).number("priority")} maw={320} />
    </Stack>
  );
}

export const editors: Record<Part, (props: EditorProps) => ReactNode> = {
  kind: KindEditor,
  value: ValueEditor,
  code: CodeEditor,
  goods: GoodsEditor,
  without: WithoutEditor,
  least: LeastEditor,
  buyers: BuyersEditor,
  time: TimeEditor,
  limits: LimitsEditor,
  issue: IssueEditor,
  order: OrderEditor,
};
