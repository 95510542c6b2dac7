import { Button, Card, Checkbox, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconArrowLeft, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { AnchorLink } from "../../parts/links";
import { formatMoney } from "../../parts/money";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import { promotionQuery, setActive, type Promotion as Stored } from "./data";
import { empty, fieldAt, fieldsOf, itemOf, type Field, type Fields } from "./fields";
import { useNames } from "./names";
import { Preview } from "./Preview";
import { stateOf } from "./search";
import { Sentence } from "./Sentence";
import { clauses, parts, type Part } from "./sentence";
import { StateBadge } from "./StateBadge";

const Codes = lazy(() => import("./Codes"));

// Promotion is the page of one promotion, or of a new one.
export function Promotion() {
  const { shop, id } = useParams({ from: "/$shop/promotions/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={promotionQuery(shop, id)}>
      {(passport, promotion) => <Form key={shop + id} shop={shop} promotion={promotion} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, promotion, passport }: { shop: string; promotion: Stored | undefined; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { for: whom } = useSearch({ from: "/$shop/promotions/$id" });
  const { store } = passport;
  const base = useMemo(() => (promotion ? fieldsOf(promotion, store) : empty), [promotion, store]);
  const edit = useEdit<Fields>(`${shop}/promotion/${promotion?.id ?? "new"}`, base);
  const { values } = edit;
  const [asking, setAsking] = useState(false);
  const locked = !passport.capabilities.promotions_write;
  const names = useNames(shop, { products: [...values.product_ids, ...values.exclude_product_ids, ...(values.gift ? [values.gift] : [])], sections: values.category_ids, groups: values.customer_group_ids });
  const put = (saved: Stored) => {
    queries.setQueryData(promotionQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "promotions"] });
  };

  // bodyOf is what is sent, and what "As a call" shows.
  function bodyOf(changed: Field[], from: Stored | undefined) {
    const { item, faults } = itemOf(values, from ? changed : "all", store, say);
    return { body: from ? { item, expected_updated_at: from.updated_at } : { item }, faults };
  }
  const path = promotion ? `/promotions/${promotion.id}` : "/promotions";
  useShownCall(promotion && !edit.dirty ? { method: "GET", path } : { method: promotion ? "PUT" : "POST", path, body: bodyOf(edit.changed as Field[], promotion).body });

  async function send(changed: Field[], from: Stored | undefined): Promise<Stored> {
    const { body, faults } = bodyOf(changed, from);
    const gone = !from || changed.some((f) => (parts.goods as Field[]).concat(parts.without, parts.least, parts.buyers).includes(f));
    if (gone && values.product_ids.some((id) => !names.product(id))) faults.product_ids = say("takeOutDeleted");
    if (gone && values.exclude_product_ids.some((id) => !names.product(id))) faults.exclude_product_ids = say("takeOutDeleted");
    if (gone && values.category_ids.some((id) => !names.section(id))) faults.category_ids = say("takeOutDeleted");
    if (gone && values.customer_group_ids.some((id) => !names.group(id))) faults.customer_group_ids = say("takeOutDeleted");
    const list = Object.entries(faults).map(([place, detail]) => ({ code: "PROMOTION_INVALID", place, detail }));
    if (list.length > 0) throw new Refusal(400, "PROMOTION_INVALID", list[0]!.detail, list);
    if (from) return (await answer(api.PUT("/promotions/{id}", { params: { path: { id: from.id } }, body }))).result;
    const { name, kind, value } = body.item;
    return (await answer(api.POST("/promotions", { body: { item: { ...body.item, name: name!, kind: kind!, value: value! } } }))).result;
  }

  const toggle = useMutation({
    mutationFn: (active: boolean) => setActive(promotion!.id, active),
    onSuccess: (saved) => {
      put(saved);
      told(say, say(saved.active ? "activated" : "deactivated", { name: saved.name }), () => setActive(saved.id, !saved.active).then(put));
    },
    onError: (error) => failed(say, error),
  });

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/promotions/{id}", { params: { path: { id: promotion!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "promotions"] });
      told(say, say("promotionDeleted", { name: promotion!.name }));
      void navigate({ to: "/$shop/promotions", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  const shown = promotion && { ...promotion, state: stateOf(promotion) };
  // show says a field as the sentence does.
  function show(name: keyof Fields, value: unknown): string {
    const part = (Object.keys(parts) as Part[]).find((p) => (parts[p] as Field[]).includes(name));
    if (!part) return typeof value === "boolean" ? say(value ? "on" : "off_state") : String(value);
    return clauses({ ...values, [name]: value }, names, store, language).find((c) => c.part === part)?.text ?? "";
  }

  return (
    <Stack maw={960}>
      <AnchorLink to="/$shop/promotions" params={{ shop }} size="sm" c="dimmed">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {say("promotions")}
        </Group>
      </AnchorLink>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" dir="auto" maw="100%">
          {promotion?.name ?? say("newPromotion")}
        </Title>
        {shown && (
          <Group gap="xs">
            <StateBadge state={shown.state} />
            {!locked && (
              <>
                <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate(!shown.active)}>
                  {say(shown.active ? "deactivate" : "activate")}
                </Button>
                <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsking(true)}>
                  {say("remove")}
                </Button>
              </>
            )}
          </Group>
        )}
      </Group>
      {shown && (
        <Text size="sm" c="dimmed">
          {say("used")}: {shown.used.toLocaleString(language)} · {say("spent")}: {formatMoney(shown.spent, store.currency, store.price_digits, language)}
        </Text>
      )}
      <EditForm
        edit={edit}
        base={promotion}
        locked={locked}
        fieldsOf={(p) => fieldsOf(p, store)}
        fieldAt={fieldAt}
        labels={{ name: say("promotionName"), active: say("on"), ...Object.fromEntries(Object.entries(parts).flatMap(([part, fields]) => fields.map((f) => [f, say(`part_${part as Part}`)]))) }}
        show={show}
        send={(changed, from) => send(changed as Field[], from)}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!promotion) void navigate({ to: "/$shop/promotions/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <>
            <Card withBorder>
              <Stack gap="sm">
                <TextInput
                  label={say("promotionName")}
                  description={say("nameHint")}
                  value={values.name}
                  onChange={(e) => edit.set("name", e.currentTarget.value)}
                  error={faults.name}
                  readOnly={locked}
                  required
                  maxLength={255}
                  autoFocus={!promotion}
                  dir="auto"
                />
                {!promotion && <Checkbox label={say("activeNew")} checked={values.active} onChange={(e) => edit.set("active", e.currentTarget.checked)} />}
              </Stack>
            </Card>
            <Sentence shop={shop} store={store} values={values} set={edit.set} faults={faults} locked={locked} names={names} begin={promotion ? null : whom === "group" ? "buyers" : "kind"} />
            <Preview values={values} store={store} />
          </>
        )}
      </EditForm>
      {promotion?.kind === "personal_coupon" && (
        <Suspense fallback={<Skeleton h={240} />}>
          <Codes shop={shop} promotion={promotion} store={store} locked={locked} />
        </Suspense>
      )}
      {asking && <Ask title={say("deletePromotion", { name: promotion!.name })} text={say("deletePromotionText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}
