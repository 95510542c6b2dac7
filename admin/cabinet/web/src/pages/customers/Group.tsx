import { Alert, Card as Panel, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dayField, moment, wallTime } from "../../parts/dates";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { parseMoney, typedMoney } from "../../parts/money";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/customers";
import { customersQuery, groupQuery, type Group, type Rule } from "./data";

// TypedRule is a rule as it is typed.
interface TypedRule {
  kind: "hand" | "spent" | "since";
  amount: string;
  since: string; // a day of the shop's time zone
}

interface Fields extends Record<string, unknown> {
  name: string;
  rule: TypedRule;
}

type Store = Passport["store"];

const byHand: TypedRule = { kind: "hand", amount: "", since: "" };
const empty: Fields = { name: "", rule: byHand };
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.includes(name));

function fieldsOf({ name, rule }: Group, store: Store): Fields {
  if (rule?.spent_more_than != null) return { name, rule: { ...byHand, kind: "spent", amount: typedMoney(rule.spent_more_than, store.price_digits) } };
  if (rule?.ordered_since) return { name, rule: { ...byHand, kind: "since", since: wallTime(rule.ordered_since, store.timezone).slice(0, 10) } };
  return { name, rule: byHand };
}

// ruleOf is a rule as the API takes it; undefined if it is not complete.
function ruleOf({ kind, amount, since }: TypedRule, store: Store): Rule | null | undefined {
  if (kind === "hand") return null;
  if (kind === "spent") {
    const sum = parseMoney(amount, store.price_digits);
    return sum === undefined ? undefined : { spent_more_than: sum };
  }
  const at = moment(since + "T00:00", store.timezone);
  return at === null ? undefined : { ordered_since: at };
}

// GroupPage is the page of one group of customers, or of a new one.
export function GroupPage() {
  const { shop, id } = useParams({ from: "/$shop/customers/groups/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={groupQuery(shop, id)}>
      {(passport, group) => <Form key={shop + id} shop={shop} group={group} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, group, passport }: { shop: string; group: Group | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { store } = passport;
  const base = useMemo(() => (group ? fieldsOf(group, store) : empty), [group, store]);
  const edit = useEdit<Fields>(`${shop}/customer-group/${group?.id ?? "new"}`, base);
  const { values } = edit;
  const { rule } = values;
  const [asking, setAsking] = useState(false);
  const locked = !passport.capabilities.customers_write;
  const inIt = useQuery({ ...customersQuery(shop, { group: Number(group?.id) }), enabled: group !== undefined });

  function ruleToSend(): Rule | null {
    const sent = ruleOf(rule, store);
    if (sent !== undefined) return sent;
    const detail = say(rule.kind === "spent" ? "amountBad" : "dateBad");
    throw new Refusal(400, "CUSTOMER_GROUP_INVALID", detail, [{ code: "CUSTOMER_GROUP_INVALID", place: "rule", detail }]);
  }
  const path = group ? `/customer-groups/${group.id}` : "/customer-groups";
  useShownCall(
    group && !edit.dirty
      ? { method: "GET", path }
      : {
          method: group ? "PUT" : "POST",
          path,
          body: {
            ...(group && !edit.changed.includes("name") ? {} : { name: values.name }),
            ...(edit.changed.includes("rule") ? { rule: ruleOf(rule, store) } : {}),
            ...(group ? { expected_updated_at: group.updated_at } : {}),
          },
        },
  );

  async function send(changed: (keyof Fields)[], from: Group | undefined): Promise<Group> {
    const body = { ...(changed.includes("rule") ? { rule: ruleToSend() } : {}) };
    if (!from) return (await answer(api.POST("/customer-groups", { body: { ...body, name: values.name } }))).result;
    const named = changed.includes("name") ? { name: values.name } : {};
    return (await answer(api.PUT("/customer-groups/{id}", { params: { path: { id: from.id } }, body: { ...body, ...named, expected_updated_at: from.updated_at } }))).result;
  }

  const refresh = () => Promise.all([queries.invalidateQueries({ queryKey: [shop, "customer-groups"] }), queries.invalidateQueries({ queryKey: [shop, "customers"] })]);
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/customer-groups/{id}", { params: { path: { id: group!.id } } })),
    onSuccess: () => {
      edit.done();
      void refresh();
      told(say, `${group!.name}: ${say("deleted")}`);
      void navigate({ to: "/$shop/customers/groups", params: { shop } });
    },
    onError: (error) => {
      setAsking(false);
      failed(say, error);
    },
  });

  return (
    <Stack maw={720}>
      <Heading back={{ to: "/$shop/customers/groups", label: say("groupsOfCustomers") }} title={group?.name ?? say("newGroup")}>
        {group && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      {group && inIt.data && (
        <AnchorLink to="/$shop/customers" params={{ shop }} search={{ group: Number(group.id) }} size="sm">
          {say("inGroup", { n: inIt.data.total })}
        </AnchorLink>
      )}
      <EditForm
        edit={edit}
        base={group}
        locked={locked}
        fieldsOf={(g) => fieldsOf(g, store)}
        fieldAt={fieldAt}
        labels={{ name: say("groupName"), rule: say("members") }}
        show={(_, value) => {
          if (typeof value === "string") return value;
          const { kind, amount, since } = value as TypedRule;
          return kind === "hand" ? say("ruleHand") : kind === "spent" ? `${say("ruleSpent")} ${amount}` : `${say("ruleSince")} ${since}`;
        }}
        send={send}
        onTheirs={(current) => queries.setQueryData(groupQuery(shop, current.id).queryKey, current)}
        onSaved={(saved) => {
          queries.setQueryData(groupQuery(shop, saved.id).queryKey, saved);
          void refresh();
          if (!group) void navigate({ to: "/$shop/customers/groups/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <Panel withBorder>
            <Stack>
              <TextInput label={say("groupName")} value={values.name} onChange={(e) => edit.set("name", e.currentTarget.value)} error={faults.name} readOnly={locked} required maxLength={255} autoFocus={!group} dir="auto" />
              <Radio.Group label={say("members")} value={rule.kind} onChange={(kind) => edit.set("rule", { ...rule, kind: kind as TypedRule["kind"] })}>
                <Stack gap="xs" mt={4}>
                  <Radio value="hand" label={say("ruleHand")} description={say("handHint")} disabled={locked} />
                  <Radio value="spent" label={say("ruleSpent")} description={say("ruleHint")} disabled={locked} />
                  <Radio value="since" label={say("ruleSince")} description={say("ruleHint")} disabled={locked} />
                </Stack>
              </Radio.Group>
              {rule.kind === "spent" && (
                <TextInput label={say("amount", { currency: store.currency })} inputMode="decimal" value={rule.amount} onChange={(e) => edit.set("rule", { ...rule, amount: e.currentTarget.value })} error={faults.rule} readOnly={locked} required maw={220} />
              )}
              {rule.kind === "since" && (
                <TextInput {...dayField} label={say("date")} value={rule.since} onChange={(e) => edit.set("rule", { ...rule, since: e.currentTarget.value })} error={faults.rule} readOnly={locked} required maw={220} />
              )}
              {rule.kind !== "hand" && <Matches shop={shop} rule={ruleOf(rule, store)} />}
              {group && !group.rule && rule.kind !== "hand" && (inIt.data?.total ?? 0) > 0 && (
                <Alert color="orange" variant="light">
                  {say("ruleEmpties")}
                </Alert>
              )}
            </Stack>
          </Panel>
        )}
      </EditForm>
      {asking && <Ask title={say("deleteGroup", { name: group!.name })} text={say("deleteGroupText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

// Matches counts the customers that a rule would put into a group, before it is saved.
function Matches({ shop, rule }: { shop: string; rule: Rule | null | undefined }) {
  const { say } = useWords(words);
  const [asked] = useDebouncedValue(JSON.stringify(rule ?? null), 300);
  const count = useQuery({
    queryKey: [shop, "customers", "matching", asked],
    queryFn: async ({ signal }) => (await answer(api.POST("/customer-groups/preview", { body: { rule: JSON.parse(asked) as Rule }, signal }))).result.count,
    enabled: asked !== "null",
    placeholderData: keepPreviousData,
  });
  if (!rule) return null;
  if (count.isError) return <Failure page error={count.error} retry={() => void count.refetch()} />;
  return (
    <Text size="sm" fw={500} aria-live="polite">
      {count.data === undefined ? say("loading") : say("matches", { n: count.data })}
    </Text>
  );
}
