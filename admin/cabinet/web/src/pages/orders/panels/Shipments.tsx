import { ActionIcon, Anchor, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { IconPackageExport, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../../../api/client";
import { Ask } from "../../../parts/Ask";
import { dateText } from "../../../parts/dates";
import { Form } from "../../../parts/Form";
import { failed, told } from "../../../parts/notice";
import { useTyped } from "../../../parts/typed";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { useOrderCache, type Shipment } from "../data";
import type { PanelProps } from "../Order";
import type { Order } from "../search";
import { Panel } from "./Panel";

// leftToShip is how many units of each line are in no parcel yet.
function leftToShip(order: Order): Map<string, number> {
  const left = new Map(order.items.map((l) => [l.id, l.quantity]));
  for (const s of order.shipments) for (const l of s.lines) left.set(l.line_id, (left.get(l.line_id) ?? 0) - l.quantity);
  return left;
}

// Shipments are the parcels of the order.
export function Shipments({ shop, order, passport, locked }: PanelProps) {
  const { say, language } = useWords(words);
  const cache = useOrderCache(shop);
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<Shipment>();
  const left = leftToShip(order);
  const path = (s: Shipment) => ({ id: order.id, shipment_id: s.id });
  const arrive = useMutation({
    mutationFn: ({ shipment, delivered_at }: { shipment: Shipment; delivered_at: string | null }) =>
      answer(api.PUT("/orders/{id}/shipments/{shipment_id}", { params: { path: path(shipment) }, body: { delivered_at } })),
    onSuccess: () => told(say, say("saved")),
    onError: (error) => failed(say, error),
    onSettled: () => cache.refresh(order.id),
  });
  const remove = useMutation({
    mutationFn: (s: Shipment) => answer(api.DELETE("/orders/{id}/shipments/{shipment_id}", { params: { path: path(s) } })),
    onError: (error) => failed(say, error),
    onSettled: () => {
      setDeleting(undefined);
      return cache.refresh(order.id);
    },
  });
  const date = (at: string) => dateText(at, passport.store.timezone, language);
  const more = order.status !== "cancelled" && [...left.values()].some((n) => n > 0);
  return (
    <Panel
      title={say("shipments")}
      aside={
        more &&
        !locked && (
          <Button size="xs" variant="default" leftSection={<IconPackageExport size={16} />} onClick={() => setAdding(true)}>
            {say("addParcel")}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {order.shipments.length === 0 && (
          <Text size="sm" c="dimmed">
            {say("noShipments")}
          </Text>
        )}
        {order.shipments.map((s) => (
          <Group key={s.id} justify="space-between" align="flex-start" gap="xs">
            <Stack gap={2} flex="1 1 220px" miw={0}>
              <Text size="sm" fw={500} dir="auto">
                {s.carrier_name}{" "}
                {s.url ? (
                  <Anchor href={s.url} target="_blank" rel="noreferrer">
                    {s.number}
                  </Anchor>
                ) : (
                  s.number
                )}
              </Text>
              <Text size="xs" c="dimmed">
                {[say("shippedAt", { date: date(s.shipped_at) }), s.delivered_at && say("deliveredAt", { date: date(s.delivered_at) })].filter(Boolean).join(" · ")}
              </Text>
              {s.lines.map((l) => (
                <Text key={l.line_id} size="xs" c="dimmed" dir="auto">
                  {l.quantity} × {order.items.find((i) => i.id === l.line_id)?.name}
                </Text>
              ))}
            </Stack>
            {!locked && (
              <Group gap={4} wrap="nowrap">
                <Button
                  size="xs"
                  variant="default"
                  loading={arrive.isPending && arrive.variables.shipment.id === s.id}
                  onClick={() => arrive.mutate({ shipment: s, delivered_at: s.delivered_at ? null : new Date().toISOString() })}
                >
                  {say(s.delivered_at ? "notArrived" : "hasArrived")}
                </Button>
                <ActionIcon variant="subtle" color="red" aria-label={say("deleteParcel", { number: s.number })} onClick={() => setDeleting(s)}>
                  <IconX size={16} />
                </ActionIcon>
              </Group>
            )}
          </Group>
        ))}
      </Stack>
      {adding && <Parcel shop={shop} order={order} left={left} onClose={() => setAdding(false)} />}
      {deleting && <Ask title={say("deleteParcel", { number: deleting.number })} text={say("deleteParcelText")} doing={remove.isPending} onYes={() => remove.mutate(deleting)} onClose={() => setDeleting(undefined)} />}
    </Panel>
  );
}

// Parcel is the form of a new parcel: by default it contains everything that is left.
function Parcel({ shop, order, left, onClose }: { shop: string; order: Order; left: Map<string, number>; onClose: () => void }) {
  const { say } = useWords(words);
  const cache = useOrderCache(shop);
  const { values, set, text, forget } = useTyped(`${shop}/order/${order.id}/parcel`, { carrier: "", number: "", url: "", counts: {} as Record<string, string> });
  const lines = order.items.filter((l) => (left.get(l.id) ?? 0) > 0);
  const countOf = (id: string) => values.counts[id] ?? String(left.get(id));
  const count = (id: string, n: string) => set({ counts: { ...values.counts, [id]: n } });
  return (
    <Modal opened onClose={onClose} title={say("addParcel")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("addParcel")}
        fields={{ ...values, lines: values.counts }}
        onSubmit={async () => {
          const packed = lines.map((l) => ({ line_id: l.id, quantity: Number(countOf(l.id)) })).filter((l) => l.quantity !== 0);
          const odd = packed.find((l) => !Number.isInteger(l.quantity));
          if (odd) throw new Refusal(400, "QUANTITY", say("wholeNumber"), [{ code: "QUANTITY", place: "lines", detail: say("wholeNumber") }]);
          const { carrier, number, url } = values;
          await answer(api.POST("/orders/{id}/shipments", { params: { path: { id: order.id } }, body: { carrier, number, url, lines: packed } }));
          forget();
          await cache.refresh(order.id);
          told(say, say("parcelAdded"));
          onClose();
        }}
      >
        {({ at }) => (
          <>
            <TextInput label={say("carrier")} description={say("carrierHint")} required maxLength={64} {...text("carrier")} error={at("carrier")} data-autofocus dir="auto" />
            <TextInput label={say("parcelNumber")} required maxLength={64} {...text("number")} error={at("number")} dir="ltr" />
            <TextInput label={say("trackingUrl")} description={say("trackingHint")} type="url" maxLength={1024} {...text("url")} error={at("url")} dir="ltr" />
            <fieldset style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
              <Text component="legend" size="sm" fw={500} mb={4} p={0}>
                {say("inParcel")}
              </Text>
              <Stack gap="xs">
                {lines.map((l) => (
                  <Group key={l.id} wrap="nowrap" justify="space-between" gap="xs">
                    <Checkbox
                      label={<span dir="auto">{l.name}</span>}
                      description={say("leftToShip", { n: left.get(l.id)! })}
                      checked={countOf(l.id) !== "0"}
                      onChange={(e) => count(l.id, e.currentTarget.checked ? String(left.get(l.id)) : "0")}
                    />
                    <TextInput aria-label={`${say("quantity")}: ${l.name}`} inputMode="numeric" w={72} maxLength={4} value={countOf(l.id)} onChange={(e) => count(l.id, e.currentTarget.value.trim())} error={Boolean(at("lines"))} />
                  </Group>
                ))}
                {at("lines") && (
                  <Text size="sm" c="red">
                    {at("lines")}
                  </Text>
                )}
              </Stack>
            </fieldset>
            <Text size="sm" c="dimmed">
              {say("parcelLetter")}
            </Text>
          </>
        )}
      </Form>
    </Modal>
  );
}
