import { Button, Card as Panel, Grid, MultiSelect, Skeleton, Stack, Textarea, TextInput } from "@mantine/core";
import { IconEraser } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { Heading } from "../../parts/Heading";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/customers";
import { customerQuery, groupsQuery, saveCustomer, type Customer, type Group } from "./data";
import { Erase } from "./Erase";
import { Bought, Figures } from "./Figures";

interface Fields extends Record<string, unknown> {
  email: string;
  name: string;
  phone: string;
  note: string;
  group_ids: string[]; // chosen by hand
}

const empty: Fields = { email: "", name: "", phone: "", note: "", group_ids: [] };
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.includes(name));

// CustomerPage is the page of one customer, or of a new one.
export function CustomerPage() {
  const { shop, id } = useParams({ from: "/$shop/customers/$id" });
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const customer = useQuery({ ...customerQuery(shop, id), enabled: numeric });
  const groups = useQuery(groupsQuery(shop));
  if (id !== "new" && !numeric) return <Failure page error={null} />;
  const failure = [customer, groups].find((q) => q.isError && !q.data);
  if (failure) return <Failure page error={failure.error} retry={() => void failure.refetch()} />;
  if (!passport.data || !groups.data || (numeric && !customer.data)) return <Skeleton h={320} />;
  return <Form key={shop + id} shop={shop} customer={customer.data} groups={groups.data} passport={passport.data} />;
}

function Form({ shop, customer, groups, passport }: { shop: string; customer: Customer | undefined; groups: Group[]; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const byHand = useMemo(() => groups.filter((g) => !g.rule), [groups]);
  const fieldsOf = useMemo(
    () =>
      ({ email, name, phone, note, group_ids }: Customer): Fields => ({ email, name, phone, note, group_ids: group_ids.filter((id) => byHand.some((g) => g.id === id)) }),
    [byHand],
  );
  const base = useMemo(() => (customer ? fieldsOf(customer) : empty), [customer, fieldsOf]);
  const edit = useEdit<Fields>(`${shop}/customer/${customer?.id ?? "new"}`, base);
  const { values } = edit;
  const [erasing, setErasing] = useState(false);
  const locked = !passport.capabilities.customers_write;
  const title = customer ? customer.name || customer.email || say("noName") : say("newCustomer");
  const ruled = groups.filter((g) => g.rule && customer?.group_ids.includes(g.id));

  const changes = (names: (keyof Fields)[]) => Object.fromEntries(names.filter((n) => n !== "email").map((n) => [n, values[n]]));
  const path = customer ? `/customers/${customer.id}` : "/customers";
  useShownCall(
    !customer
      ? { method: "POST", path, body: { email: values.email, ...changes(edit.changed) } }
      : edit.dirty
        ? { method: "PUT", path, body: { ...changes(edit.changed), expected_updated_at: customer.updated_at } }
        : { method: "GET", path },
  );
  const put = (saved: Customer) => queries.setQueryData(customerQuery(shop, saved.id).queryKey, saved);
  const text = (name: "email" | "name" | "phone" | "note", maxLength: number) => ({
    label: say(name),
    value: values[name],
    onChange: (e: { currentTarget: { value: string } }) => edit.set(name, e.currentTarget.value),
    readOnly: locked,
    maxLength,
    dir: "auto" as const,
  });

  return (
    <Stack>
      <Heading back={{ to: "/$shop/customers", label: say("customers") }} title={title}>
        {customer && !locked && (
          <Button variant="subtle" color="red" leftSection={<IconEraser size={16} />} onClick={() => setErasing(true)}>
            {say("erase")}
          </Button>
        )}
      </Heading>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <EditForm
            edit={edit}
            base={customer}
            locked={locked}
            fieldsOf={fieldsOf}
            fieldAt={fieldAt}
            labels={{ email: say("email"), name: say("name"), phone: say("phone"), note: say("note"), group_ids: say("groupsByHand") }}
            show={(_, value) => (Array.isArray(value) ? byHand.filter((g) => value.includes(g.id)).map((g) => g.name).join(", ") : String(value ?? ""))}
            send={async (changed, from) => (from ? saveCustomer(from, changes(changed)) : (await answer(api.POST("/customers", { body: { email: values.email, ...changes(changed) } }))).result)}
            onTheirs={put}
            onSaved={(saved) => {
              put(saved);
              void queries.invalidateQueries({ queryKey: [shop, "customers"] });
              if (!customer) void navigate({ to: "/$shop/customers/$id", params: { shop, id: saved.id }, replace: true });
            }}
          >
            {(faults) => (
              <Panel withBorder>
                <Stack>
                  <TextInput {...text("email", 254)} type="email" error={faults.email} readOnly={locked || customer !== undefined} required={!customer} description={customer ? undefined : say("emailHint")} autoFocus={!customer} />
                  <TextInput {...text("name", 255)} error={faults.name} />
                  <TextInput {...text("phone", 255)} error={faults.phone} type="tel" />
                  <MultiSelect
                    label={say("groupsByHand")}
                    description={byHand.length === 0 ? say("noGroupsByHand") : undefined}
                    data={byHand.map((g) => ({ value: g.id, label: g.name }))}
                    value={values.group_ids}
                    onChange={(v) => edit.set("group_ids", v)}
                    error={faults.group_ids}
                    readOnly={locked || byHand.length === 0}
                    searchable={byHand.length > 5}
                    nothingFoundMessage={say("nothingFound")}
                  />
                  <Textarea {...text("note", 4000)} error={faults.note} description={say("noteHint")} autosize minRows={3} maxRows={16} />
                </Stack>
              </Panel>
            )}
          </EditForm>
        </Grid.Col>
        {customer && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack>
              <Figures shop={shop} customer={customer} ruled={ruled} store={passport.store} />
              {passport.capabilities.orders_read && <Bought shop={shop} customer={customer} store={passport.store} />}
            </Stack>
          </Grid.Col>
        )}
      </Grid>
      {erasing && (
        <Erase
          shop={shop}
          id={customer!.id}
          name={title}
          onErased={() => {
            edit.done();
            void navigate({ to: "/$shop/customers", params: { shop } });
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </Stack>
  );
}
