import { Alert, Button, Card, Group, Pill, Select, SimpleGrid, Skeleton, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { moment, momentField } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import { CustomerSelect, customerName } from "../../parts/CustomerSelect";
import { ProductSelect } from "../../parts/ProductSelect";
import { WideTable } from "../../parts/WideTable";
import { useWords, type Language } from "../../words";
import { words } from "../../words/prices";
import type { ExplainSearch } from "./routes";

type Note = Schemas["CartNoteView"];

// whyText says in the person's language why a step counts: the API says it in English.
function whyText(why: string, language: Language): string {
  const [said, ...rest] = why.split(": ");
  const known = Object.entries(words).find(([key, [en]]) => key === `why_${said}` || (key.startsWith("why_") && en === said))?.[1];
  return known ? [known[language === "ru" ? 1 : 0], ...rest].join(": ") : why;
}

// Explain shows what makes up a product's price, for a moment and a buyer.
export function Explain() {
  const { shop } = useParams({ from: "/$shop/promotions/explain" });
  const search = useSearch({ from: "/$shop/promotions/explain" });
  const navigate = useNavigate({ from: "/$shop/promotions/explain" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const zone = passport?.store.timezone ?? "UTC";
  const { product, variant, n = 1, at = "", code = "", customer } = search;
  const [buyer, setBuyer] = useState(""); // the name of the chosen one
  const change = (part: Partial<ExplainSearch>) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  const card = useQuery({
    queryKey: [shop, "product", product, "variants"],
    queryFn: async () => (await answer(api.GET("/products/{id}", { params: { path: { id: product! } } }))).result,
    enabled: product !== undefined,
    retry: false,
  });
  const body = {
    company_id: passport?.store.id ?? 0,
    explain: true,
    items: product ? [{ product_id: product, key: variant ? `v${variant}` : "default", quantity: n, ...(variant && { data: { variant_id: variant } }) }] : [],
    ...(at && { at: moment(at, zone) }),
    ...(code && { promo_code: code }),
    ...(customer && { customer_id: customer }),
  };
  useShownCall({ method: "POST", path: "/cart/quote", body });
  const quote = useQuery({
    queryKey: [shop, "quote", body],
    queryFn: async ({ signal }) => (await answer(api.POST("/cart/quote", { body, signal }))).result,
    enabled: passport !== undefined && product !== undefined,
    placeholderData: keepPreviousData,
  });
  const variants = card.data?.variants ?? [];

  return (
    <Stack maw={960}>
      <AnchorLink to="/$shop/promotions" params={{ shop }} size="sm" c="dimmed">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {say("promotions")}
        </Group>
      </AnchorLink>
      <div>
        <Title order={1} size="h2">
          {say("priceOfProduct")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("explainText")}
        </Text>
      </div>
      <Card withBorder>
        <Stack gap="sm">
          <ProductSelect shop={shop} label={say("findProduct")} without={[]} onChoose={(id) => change({ product: id, variant: undefined })} />
          {card.data && (
            <Text fw={600} dir="auto">
              {card.data.name}
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
            {variants.length > 0 && (
              <Select
                label={say("variant")}
                placeholder={say("anyVariant")}
                data={variants.map((v) => ({ value: v.id, label: Object.values(v.options).join(" / ") || v.sku || v.id }))}
                value={variant ? String(variant) : null}
                onChange={(v) => change({ variant: v ? Number(v) : undefined })}
                clearable
                clearButtonProps={{ "aria-label": say("clear") }}
              />
            )}
            <TextInput
              label={say("quantity")}
              inputMode="numeric"
              maxLength={4}
              value={n > 1 ? String(n) : ""}
              placeholder="1"
              onChange={(e) => change({ n: Number(e.currentTarget.value.replace(/\D/g, "")) || undefined })}
            />
            <TextInput {...momentField} label={say("at", { zone })} value={at} onChange={(e) => change({ at: e.currentTarget.value || undefined })} />
            <TextInput label={say("codeField")} maxLength={64} value={code} onChange={(e) => change({ code: e.currentTarget.value || undefined })} dir="ltr" />
          </SimpleGrid>
          {passport?.capabilities.customers_read && (
            <Stack gap={6}>
              <CustomerSelect
                shop={shop}
                label={say("customer")}
                placeholder={say("findCustomer")}
                onChoose={(c) => {
                  setBuyer(customerName(c));
                  change({ customer: Number(c.id) });
                }}
              />
              <Group>
                <Pill
                  size="md"
                  withRemoveButton={customer !== undefined}
                  onRemove={() => change({ customer: undefined })}
                  removeButtonProps={{ "aria-label": `${say("remove")}: ${buyer}`, "aria-hidden": undefined, tabIndex: 0 }}
                >
                  <span dir="auto">{customer ? buyer || say("buyer", { id: customer }) : say("newBuyer")}</span>
                </Pill>
              </Group>
            </Stack>
          )}
        </Stack>
      </Card>
      {!product ? (
        <Text c="dimmed">{say("chooseProduct")}</Text>
      ) : quote.isError ? (
        <Failure error={quote.error} retry={() => void quote.refetch()} />
      ) : !quote.data || !passport ? (
        <Skeleton h={240} />
      ) : quote.data.items.length === 0 ? (
        <Alert variant="light">{say("notSold")}</Alert>
      ) : (
        <Answer quote={quote.data} digits={passport.store.price_digits} />
      )}
    </Stack>
  );
}

function Answer({ quote, digits }: { quote: Schemas["CartCartView"]; digits: number }) {
  const { say, language } = useWords(words);
  const [all, setAll] = useState(false);
  const money = (n: number) => formatMoney(n, quote.currency, digits, language);
  const steps = (quote.explain ?? []).filter((s) => s.step !== "delivery"); // which is none of the price
  const counted = steps.filter((s) => s.before !== s.after || s.step === "unit_price");
  const rest = steps.filter((s) => !counted.includes(s));
  const sums = [
    ["typedPrice", quote.subtotal_before],
    ["savedSum", quote.discount_total],
    ["toPay", quote.subtotal],
  ] as const;
  return (
    <Card withBorder>
      <Stack>
        <SimpleGrid cols={3} spacing="xs">
          {sums.map(([word, sum]) => (
            <div key={word}>
              <Text size="sm" c="dimmed">
                {say(word)}
              </Text>
              <Text fz={22} fw={650}>
                {money(sum)}
              </Text>
            </div>
          ))}
        </SimpleGrid>
        {quote.promo_rejected && (
          <Alert variant="light" color="orange">
            {quote.promo_code}: {whyText(quote.promo_rejected, language)}
          </Alert>
        )}
        <Steps list={counted} label={say("priceOfProduct")} money={money} />
        {rest.length > 0 && (
          <>
            <Group>
              <Button size="xs" variant="default" aria-expanded={all} onClick={() => setAll(!all)}>
                {say("didNotCount")}: {rest.length}
              </Button>
            </Group>
            {all && <Steps list={rest} label={say("didNotCount")} money={money} />}
          </>
        )}
      </Stack>
    </Card>
  );
}

function Steps({ list, label, money }: { list: Note[]; label: string; money: (n: number) => string }) {
  const { say, language } = useWords(words);
  const stepText = (step: string) => (`step_${step}` in words ? say(`step_${step}` as keyof typeof words) : step);
  return (
    <WideTable label={label} minWidth={560}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say("step")}</Table.Th>
            <Table.Th>{say("what")}</Table.Th>
            <Table.Th ta="right">{say("before")}</Table.Th>
            <Table.Th ta="right">{say("after")}</Table.Th>
            <Table.Th>{say("why")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.map((s, i) => (
            <Table.Tr key={i}>
              <Table.Td>{stepText(s.step)}</Table.Td>
              <Table.Td dir="auto">{s.step === "unit_price" ? "" : s.rule}</Table.Td>
              <Table.Td ta="right">{s.before || s.after ? money(s.before) : "—"}</Table.Td>
              <Table.Td ta="right">{s.before || s.after ? money(s.after) : "—"}</Table.Td>
              <Table.Td>{whyText(s.why, language)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
