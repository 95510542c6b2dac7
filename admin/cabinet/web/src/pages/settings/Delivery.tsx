import { Button, Radio, Group, SimpleGrid, Skeleton, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm, type Faults } from "../../parts/EditForm";
import { inputsOf } from "../../parts/inputs";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { Rows, type RowColumn } from "../../parts/Rows";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { deliveriesQuery, deliveryQuery, type Delivery as View } from "./data";
import { blankPoint, blankRate, bodyOf, empty, fieldAt, fieldsOf, type Field, type Fields, type Point, type Rate } from "./deliveryFields";
import { refuse } from "./fields";
import { Heading } from "./Heading";

// Delivery is the page of one delivery option, or of a new one.
export function Delivery() {
  const { shop, id } = useParams({ from: "/$shop/settings/delivery/$id" });
  const known = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const delivery = useQuery({ ...deliveryQuery(shop, id), enabled: known });
  if (id !== "new" && !known) return <Failure page error={null} />;
  if (delivery.isError && !delivery.data) return <Failure page error={delivery.error} retry={() => void delivery.refetch()} />;
  if (!passport.data || (known && !delivery.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} delivery={delivery.data} passport={passport.data} />;
}

function Form({ shop, delivery, passport }: { shop: string; delivery: View | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const digits = passport.store.price_digits;
  const locked = passport.role === "editor";
  const base = useMemo(() => (delivery ? fieldsOf(delivery, digits) : empty), [delivery, digits]);
  const edit = useEdit<Fields>(`${shop}/delivery/${delivery?.id ?? "new"}`, base);
  const { values, set } = edit;
  const names = Object.keys(empty) as Field[];
  const labels = Object.fromEntries(names.map((name) => [name, say(`d_${name}`)]));
  const bodyFrom = (changed: Field[], from: View | undefined) => bodyOf(values, from ? changed : names, digits, { notANumber: say("notANumber"), notAbove: say("notAbove") });
  const path = delivery ? `/v1/shop/delivery-options/${delivery.id}` : "/v1/shop/delivery-options";
  const { body } = bodyFrom(edit.changed as Field[], delivery);
  useShownCall(delivery && !edit.dirty ? { method: "GET", path } : { method: delivery ? "PUT" : "POST", path, body: delivery ? { ...body, expected_updated_at: delivery.updated_at } : body });
  const put = (saved: View) => queries.setQueryData(deliveryQuery(shop, saved.id).queryKey, saved);
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: deliveriesQuery(shop).queryKey });
    void queries.invalidateQueries({ queryKey: [shop, "setup"] });
  };

  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/v1/shop/delivery-options/{id}", { params: { path: { id: delivery!.id } } })),
    onSuccess: () => {
      edit.done();
      refresh();
      told(say, `${delivery!.name}: ${say("deleted")}`);
      void navigate({ to: "/$shop/settings/delivery", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Stack>
      <Heading title={delivery ? delivery.name : say("newDelivery")} list={{ to: "/$shop/settings/delivery", label: say("page_delivery") }}>
        {delivery && !locked && (
          <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsking(true)}>
            {say("remove")}
          </Button>
        )}
      </Heading>
      <EditForm
        edit={edit}
        base={delivery}
        labels={labels}
        locked={locked}
        fieldsOf={(d) => fieldsOf(d, digits)}
        fieldAt={fieldAt}
        show={(name, value) => (name === "kind" ? say(value === "pickup" ? "kind_pickup" : "kind_delivery") : typeof value === "boolean" ? (value ? "✓" : "—") : Array.isArray(value) ? value.map((row: Rate | Point) => Object.values(row).filter(Boolean).join(" ")).join("; ") : String(value))}
        send={async (changed, from) => {
          const { body, faults } = bodyFrom(changed as Field[], from);
          refuse(faults);
          if (!from) return (await answer(api.POST("/v1/shop/delivery-options", { body: { ...body, name: values.name } }))).result;
          return (await answer(api.PUT("/v1/shop/delivery-options/{id}", { params: { path: { id: from.id } }, body: { ...body, expected_updated_at: from.updated_at } }))).result;
        }}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          refresh();
          if (!delivery) void navigate({ to: "/$shop/settings/delivery/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => <Panels values={values} set={set} faults={faults} locked={locked} labels={labels} currency={passport.store.currency} isNew={!delivery} />}
      </EditForm>
      {asking && <Ask title={say("deleteDelivery", { name: delivery!.name })} text={say("deleteDeliveryText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

interface PanelsProps extends Pick<ReturnType<typeof useEdit<Fields>>, "values" | "set"> {
  faults: Faults;
  locked: boolean;
  labels: Record<string, string>;
  currency: string;
  isNew: boolean;
}

function Panels({ values, set, faults, locked, labels, currency, isNew }: PanelsProps) {
  const { say } = useWords(words);
  const { text, flag } = inputsOf({ values, set }, faults, locked, labels);
  const money = { inputMode: "decimal", dir: "ltr", rightSection: currency, rightSectionWidth: 52 } as const;
  const pickup = values.kind === "pickup";
  const columns: RowColumn<Rate>[] = [
    { key: "countries", label: say("r_countries"), width: 110, maxLength: 1200 },
    { key: "regions", label: say("r_regions"), width: 110, maxLength: 4000 },
    { key: "postcodes", label: say("r_postcodes"), width: 110, maxLength: 4000 },
    { key: "min_total", label: `${say("r_min_total")}, ${currency}`, width: 90, maxLength: 20, number: true },
    { key: "max_total", label: `${say("r_max_total")}, ${currency}`, width: 90, maxLength: 20, number: true },
    { key: "min_weight_g", label: say("r_min_weight_g"), width: 85, maxLength: 10, number: true },
    { key: "max_weight_g", label: say("r_max_weight_g"), width: 85, maxLength: 10, number: true },
    { key: "price", label: `${say("r_price")}, ${currency}`, width: 90, maxLength: 20, number: true },
    { key: "days", label: say("r_days"), width: 65, maxLength: 3, number: true },
  ];
  const pointColumns: RowColumn<Point>[] = [
    { key: "name", label: say("p_name"), width: 220, maxLength: 255 },
    { key: "address", label: say("p_address"), width: 340, maxLength: 500 },
    { key: "hours", label: say("p_hours"), width: 220, maxLength: 255 },
  ];
  function choose(kind: string) {
    set("kind", kind);
    if (isNew) set("needs_address", kind === "delivery");
  }
  return (
    <>
      <Panel title={say("page_delivery")}>
        <Radio.Group label={labels.kind} value={values.kind} onChange={choose} readOnly={locked} error={faults.kind}>
          <Group mt={4}>
            {(["delivery", "pickup"] as const).map((kind) => (
              <Radio key={kind} value={kind} label={say(`kind_${kind}`)} disabled={locked} />
            ))}
          </Group>
        </Radio.Group>
        <TextInput {...text("name", 255)} required autoFocus={isNew} />
        <Textarea {...text("description", 1000)} autosize minRows={2} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} maw={640}>
          <TextInput {...text("price", 20)} {...money} />
          <TextInput {...text("free_from", 20)} {...money} description={say("freeFromHint")} inputWrapperOrder={["label", "input", "description", "error"]} />
        </SimpleGrid>
        <Switch {...flag("needs_address")} />
        <Switch {...flag("is_active")} />
      </Panel>
      <Panel title={labels.rates!} text={say("ratesHint")}>
        <Rows label={say("rate")} ordered at="rates" columns={columns} rows={values.rates} blank={blankRate} add={say("addRate")} max={200} faults={faults} locked={locked} onChange={(rates) => set("rates", rates)} />
      </Panel>
      {pickup && (
        <Panel title={labels.points!}>
          <Rows label={say("point")} ordered at="points" columns={pointColumns} rows={values.points} blank={blankPoint} add={say("addPoint")} max={100} faults={faults} locked={locked} onChange={(points) => set("points", points)} />
        </Panel>
      )}
    </>
  );
}
