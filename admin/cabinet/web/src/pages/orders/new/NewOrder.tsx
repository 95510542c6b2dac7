import { Card, Checkbox, Grid, Select, SimpleGrid, Skeleton, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { answer, api, Refusal } from "../../../api/client";
import { useShownCall } from "../../../frame/Call";
import { explained, Failure } from "../../../frame/Failure";
import { passportQuery, type Passport } from "../../../frame/session";
import { Form } from "../../../parts/Form";
import { Heading } from "../../../parts/Heading";
import { formatMoney, priceOf } from "../../../parts/money";
import { told } from "../../../parts/notice";
import { useOnce } from "../../../parts/once";
import { CustomerSelect } from "../../../parts/CustomerSelect";
import { ProductSelect } from "../../../parts/ProductSelect";
import { useTyped } from "../../../parts/typed";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { deliveriesQuery, namesIn } from "../data";
import { countries } from "../postal";
import { Sums } from "../Sums";
import { Item, keyOf, type Goods } from "./Item";

const blank = {
  goods: [] as Goods[],
  customer: "",
  name: "",
  phone: "",
  email: "",
  vat: "",
  country: "",
  region: "",
  city: "",
  street: "",
  postcode: "",
  delivery: "",
  point: "",
  method: "",
  code: "",
  comment: "",
  link: false,
};

// NewOrder enters an order that somebody made by phone or at the counter.
export function NewOrder() {
  const { shop } = useParams({ from: "/$shop/orders/new" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  if (!passport) return <Skeleton h={480} />;
  return (
    <Stack>
      <Heading back={{ to: "/$shop/orders", label: say("orders") }} title={say("newOrder")} />
      {passport.capabilities.orders_write ? <Entry key={shop} shop={shop} passport={passport} /> : <Text>{say("noRight")}</Text>}
    </Stack>
  );
}

function Entry({ shop, passport }: { shop: string; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const once = useOnce();
  const { values, set, text, forget } = useTyped(`${shop}/order/new`, blank);
  const { goods } = values;
  const { currency, price_digits: digits, id: company_id } = passport.store;
  const money = (amount: number) => formatMoney(amount, currency, digits, language);
  const deliveries = useQuery(deliveriesQuery(shop));
  const methods = useQuery({ queryKey: [shop, "payment-methods"], queryFn: async () => (await answer(api.GET("/v1/shop/payment-methods", {}))).result, staleTime: 60_000 });
  const lands = useMemo(() => countries(language), [language]);

  // quote is what the shop asks for these goods there, at its own prices.
  const asked = {
    company_id,
    items: goods.map((g) => ({ product_id: g.product_id, key: keyOf(g), quantity: Number(g.quantity) || 1 })),
    promo_code: values.code.trim(),
    country: values.country,
    region: values.region,
    postcode: values.postcode,
    vat_number: values.vat.trim(),
    ...(values.delivery && { delivery_option_id: values.delivery }),
    ...(values.customer && { customer_id: values.customer }),
  };
  const [settled] = useDebouncedValue(JSON.stringify(asked), 400);
  const quote = useQuery({
    queryKey: [shop, "quote", settled],
    queryFn: async ({ signal }) => (await answer(api.POST("/cart/quote", { body: JSON.parse(settled) as typeof asked, signal }))).result,
    enabled: goods.length > 0,
    placeholderData: keepPreviousData,
  });
  const priced = goods.length > 0 ? quote.data : undefined;
  const chosen = deliveries.data?.find((d) => d.id === (values.delivery || priced?.delivery?.id));

  // bodyOf is what is sent. Without checks it is what "As a call" shows of what is not typed yet.
  function bodyOf(check: boolean) {
    const { country, region, city, street, postcode } = values;
    const refuse = (n: number, field: string, detail: string) => new Refusal(400, "LINE", detail, [{ code: "LINE", place: `items[${n}].${field}`, detail }]);
    const items = goods.map((g, n) => {
      const quantity = Number(g.quantity);
      if (check && g.variants && !g.variant_id) throw refuse(n, "key", say("chooseVariant"));
      if (check && !(Number.isInteger(quantity) && quantity >= 1 && quantity <= 9999)) throw refuse(n, "quantity", say("wholeNumber"));
      const agreed = g.agreed.trim() && check ? priceOf(g.agreed, digits, `items[${n}].agreed_price`, say("notPrice")) : undefined;
      return { product_id: g.product_id, key: keyOf(g), quantity, ...(agreed !== undefined && { agreed_price: agreed }) };
    });
    const address = Object.fromEntries(Object.entries({ street, postcode, city, region, country }).filter(([, v]) => v !== ""));
    return {
      contact: { name: values.name, phone: values.phone, email: values.email.trim(), vat_number: values.vat.trim() },
      items,
      comment: values.comment,
      promo_code: values.code.trim(),
      ...(Object.keys(address).length > 0 && { address }),
      ...(values.delivery && { delivery_option_id: values.delivery }),
      ...(values.point && { delivery_point_id: values.point }),
      ...(values.method && { payment_method: values.method }),
      ...(values.link && values.email && { send_payment_link: true }),
    };
  }
  useShownCall({ method: "POST", path: "/orders/manual", body: bodyOf(false) });

  async function submit() {
    if (goods.length === 0) throw new Refusal(400, "CART_EMPTY", say("noGoods"));
    const { result } = await once(bodyOf(true), (body, header) => answer(api.POST("/orders/manual", { params: { header }, body })));
    forget();
    void queries.invalidateQueries({ queryKey: [shop, "orders"] });
    told(say, say("orderMade", { number: result.number }));
    await navigate({ to: "/$shop/orders/$id", params: { shop, id: result.id } });
  }

  function add(product_id: number, name: string) {
    const known = goods.find((g) => g.product_id === product_id && !g.variants);
    if (known) set({ goods: goods.map((g) => (g === known ? { ...g, quantity: String(Number(g.quantity) + 1) } : g)) });
    else set({ goods: [...goods, { product_id, name, variants: false, variant_id: "", quantity: "1", agreed: "" }] });
  }

  const fields = {
    "contact.name": values.name,
    "contact.phone": values.phone,
    "contact.email": values.email,
    "contact.vat_number": values.vat,
    address: values.street,
    delivery_option_id: values.delivery,
    delivery_point_id: values.point,
    payment_method: values.method,
    ...Object.fromEntries(goods.flatMap((g, n) => [[`items[${n}].key`, g.variant_id], [`items[${n}].quantity`, g.quantity], [`items[${n}].agreed_price`, g.agreed]])),
  };
  function meaning(refusal: Refusal) {
    const names = namesIn(refusal.detail, goods).join(", ");
    if (refusal.code === "out_of_stock") return say("short", { names });
    if (refusal.code === "PRODUCT_NOT_FOUND") return `${say("notInShop")}: ${names}`;
    return undefined;
  }

  return (
    <Form submit={say("makeOrder")} onSubmit={submit} fields={fields} meaning={meaning}>
      {({ at }) => (
        <Grid>
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Stack>
              <Card withBorder component="section" style={{ overflow: "visible" }}>
                <Title order={2} size="h4" mb="sm">
                  {say("goods")}
                </Title>
                <Stack>
                  {goods.map((g, n) => (
                    <Item
                      key={n}
                      shop={shop}
                      goods={g}
                      quoted={priced && { line: priced.items.find((l) => l.product_id === g.product_id && l.key === keyOf(g) && !l.is_gift), pending: quote.isPlaceholderData }}
                      money={money}
                      fault={(field) => at(`items[${n}].${field}`)}
                      onChange={(part) => set({ goods: goods.map((other, i) => (i === n ? { ...other, ...part } : other)) })}
                      onRemove={() => set({ goods: goods.filter((_, i) => i !== n) })}
                    />
                  ))}
                  {priced?.items
                    .filter((l) => l.is_gift)
                    .map((l) => (
                      <Text key={l.product_id} size="sm" dir="auto">
                        {l.quantity} × {l.name} · {say("gift")}
                      </Text>
                    ))}
                  {goods.length < 100 && <ProductSelect shop={shop} label={say("addProduct")} without={[]} onChoose={add} />}
                </Stack>
              </Card>
              <Card withBorder component="section">
                <Title order={2} size="h4" mb="sm">
                  {say("contact")}
                </Title>
                <Stack>
                  {passport.capabilities.customers_read && (
                    <CustomerSelect shop={shop} placeholder={say("findCustomer")} onChoose={(c) => set({ customer: c.id, name: c.name, phone: c.phone, email: c.email })} />
                  )}
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextInput label={say("name")} required maxLength={255} {...text("name")} error={at("contact.name")} dir="auto" />
                    <TextInput label={say("phone")} required type="tel" maxLength={64} {...text("phone")} error={at("contact.phone")} dir="auto" />
                  </SimpleGrid>
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextInput label={say("email")} type="email" maxLength={254} {...text("email")} error={at("contact.email")} dir="auto" />
                    <TextInput label={say("vat")} maxLength={64} {...text("vat")} error={at("contact.vat_number")} dir="ltr" />
                  </SimpleGrid>
                </Stack>
              </Card>
              <Card withBorder component="section" style={{ overflow: "visible" }}>
                <Title order={2} size="h4" mb="sm">
                  {say("delivery")}
                </Title>
                <Stack>
                  <TextInput label={say("street")} maxLength={255} {...text("street")} error={at("address")} dir="auto" />
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextInput label={say("postcode")} maxLength={64} {...text("postcode")} dir="auto" />
                    <TextInput label={say("city")} maxLength={255} {...text("city")} dir="auto" />
                  </SimpleGrid>
                  <SimpleGrid cols={{ base: 1, xs: 2 }}>
                    <TextInput label={say("region")} maxLength={255} {...text("region")} dir="auto" />
                    <Select
                      label={say("country")}
                      data={lands}
                      searchable
                      clearable
                      clearButtonProps={{ "aria-label": say("clear") }}
                      value={values.country || null}
                      onChange={(country) => set({ country: country ?? "" })}
                    />
                  </SimpleGrid>
                  <Select
                    label={say("deliveryWay")}
                    data={[{ value: "", label: say("firstDelivery") }].concat(
                      (priced?.deliveries ?? []).map((d) => ({ value: d.id, label: `${d.name} · ${d.price ? money(d.price) : say("free")}` })),
                    )}
                    value={values.delivery}
                    allowDeselect={false}
                    onChange={(delivery) => set({ delivery: delivery ?? "", point: "" })}
                    error={at("delivery_option_id") ?? (priced && priced.deliveries.length === 0 && deliveries.data?.some((d) => d.is_active) ? say("code_DELIVERY_NOT_POSSIBLE") : undefined)}
                  />
                  {chosen && chosen.points.length > 0 && (
                    <Select
                      label={say("point")}
                      data={chosen.points.map((p) => ({ value: p.id, label: [p.name, p.address].filter(Boolean).join(", ") }))}
                      value={values.point || chosen.points[0]!.id}
                      allowDeselect={false}
                      onChange={(point) => set({ point: point ?? "" })}
                      error={at("delivery_point_id")}
                    />
                  )}
                </Stack>
              </Card>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <Card withBorder component="section" style={{ overflow: "visible" }}>
              <Title order={2} size="h4" mb="sm">
                {say("payment")}
              </Title>
              <Stack>
                <Select
                  label={say("paymentWay")}
                  data={[{ value: "", label: say("later") }].concat((methods.data ?? []).filter((m) => m.is_active).map((m) => ({ value: m.method, label: m.title || m.method })))}
                  value={values.method}
                  allowDeselect={false}
                  onChange={(method) => set({ method: method ?? "" })}
                  error={at("payment_method")}
                />
                <Checkbox
                  label={say("sendLink")}
                  description={say("sendLinkHint")}
                  disabled={!values.email}
                  checked={values.link && values.email !== ""}
                  onChange={(e) => set({ link: e.currentTarget.checked })}
                />
                <TextInput label={say("promoCode")} maxLength={64} {...text("code")} error={values.code && priced?.promo_rejected ? say("codeRejected") : undefined} dir="auto" />
                <Textarea label={say("orderComment")} autosize minRows={2} maxRows={8} maxLength={4000} {...text("comment")} dir="auto" />
                {quote.isError && <Failure error={quote.error} retry={() => void quote.refetch()} />}
                {priced && <Sums before={priced.subtotal_before} promotions={priced.applied} goods={priced.subtotal} delivery={priced.delivery} taxes={priced.taxes} total={priced.grand_total} money={money} />}
                {goods.some((g) => g.agreed.trim()) && (
                  <Text size="sm" c="dimmed">
                    {say("agreedLater")}
                  </Text>
                )}
                {(deliveries.isError || methods.isError) && <Text size="sm">{explained(deliveries.error ?? methods.error, say)}</Text>}
              </Stack>
            </Card>
          </Grid.Col>
        </Grid>
      )}
    </Form>
  );
}
