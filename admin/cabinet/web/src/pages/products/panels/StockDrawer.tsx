import { Alert, Button, Drawer, Group, SegmentedControl, Select, Skeleton, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal, type Schemas } from "../../../api/client";
import { explained, Failure } from "../../../frame/Failure";
import { told } from "../../../parts/notice";
import { useWords } from "../../../words";
import { words } from "../../../words/products";
import { movementsQuery, productQuery } from "../data";
import type { Card } from "../fields";
import { nameOf, variantsOf } from "../variants/sets";

type Kind = "receipt" | "writeOff" | "count";
type Change = Schemas["StockItemRequestInput"];

// StockDrawer shows the movements of a product's stock, and adds one: goods that came or are gone,
// or a count. The call names the quantity that the person saw, so a sale meanwhile is not undone.
export default function StockDrawer({ card, locked, onClose }: { card: Card; locked: boolean; onClose: () => void }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const shop = location.pathname.split("/")[2]!;
  const byVariant = card.stock_by === "variant";
  const names = new Map(variantsOf(card.variants, 0).map((v) => [v.id, nameOf(v)]));
  const [variant, setVariant] = useState(byVariant ? (card.variants[0]?.id ?? "") : "");
  const [kind, setKind] = useState<Kind>("receipt");
  const [number, setNumber] = useState("");
  const [comment, setComment] = useState("");
  const movements = useQuery(movementsQuery(shop, card.id));
  const counted = byVariant ? card.variants.find((v) => v.id === variant) : card;
  const now = counted?.stock_quantity ?? null;
  const typed = /^\d{1,10}$/.test(number.trim()) ? Number(number) : null;
  const next = typed === null ? null : kind === "count" ? typed : kind === "receipt" ? (now ?? 0) + typed : (now ?? 0) - typed;

  const set = (change: Change) => answer(api.PUT("/products/{id}/stock", { params: { path: { id: card.id } }, body: change }));
  const refresh = () => Promise.all([queries.invalidateQueries({ queryKey: [shop, "movements", card.id] }), queries.invalidateQueries({ queryKey: productQuery(shop, card.id).queryKey }), queries.invalidateQueries({ queryKey: [shop, "products"] })]);
  const same = { ...(variant && { variant_id: variant }), low_threshold: counted?.stock_low_threshold ?? null };
  const move = useMutation({
    mutationFn: () => set({ ...same, quantity: next!, ...(now !== null && { expected_quantity: now }), comment }),
    onSuccess: async () => {
      const back = { ...same, quantity: now ?? -1, expected_quantity: next!, comment: say("undo") };
      setNumber("");
      setComment("");
      await refresh();
      told(say, say("stockIs", { n: next! }), () => set(back).then(refresh));
    },
    onError: (error) => {
      if (error instanceof Refusal && error.code === "STOCK_CHANGED") void refresh();
    },
  });

  return (
    <Drawer opened onClose={onClose} position="right" title={say("movements")} closeButtonProps={{ "aria-label": say("close") }} attributes={{ header: { role: "none" } }}>
      <Stack>
        {!locked && (
          <form
            onSubmit={(e) => {
              e.preventDefault();
              e.stopPropagation(); // React's tree has the product's form above this one
              if (next !== null && next >= 0) move.mutate();
            }}
          >
            <Stack gap="sm">
              {byVariant && (
                <Select label={say("variant")} data={[...names].map(([value, label]) => ({ value, label: label || value }))} value={variant} onChange={(v) => v && setVariant(v)} searchable allowDeselect={false} limit={500} />
              )}
              <Text size="sm">{now === null ? say("notCounted") : say("stockIs", { n: now })}</Text>
              <SegmentedControl
                transitionDuration={0}
                aria-label={say("movement")}
                data={(["receipt", "writeOff", "count"] as const).map((value) => ({ value, label: say(value) }))}
                value={kind}
                onChange={setKind}
              />
              <TextInput
                label={say("quantity")}
                inputMode="numeric"
                dir="ltr"
                maxLength={10}
                value={number}
                onChange={(e) => setNumber(e.currentTarget.value)}
                error={number && (next === null || next < 0) ? say("notANumber") : undefined}
                description={next !== null && next >= 0 ? say("willBe", { n: next }) : undefined}
                data-autofocus
              />
              <TextInput label={say("reason")} maxLength={500} value={comment} onChange={(e) => setComment(e.currentTarget.value)} dir="auto" />
              {move.isError && <Alert role="alert" color="red" variant="light">{explained(move.error, say)}</Alert>}
              <Group justify="flex-end">
                <Button type="submit" disabled={next === null || next < 0} loading={move.isPending}>
                  {say("doIt")}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
        {movements.isError && !movements.data ? (
          <Failure error={movements.error} retry={() => void movements.refetch()} />
        ) : movements.isPending ? (
          <Skeleton h={120} />
        ) : movements.data.length === 0 ? (
          <Text c="dimmed" size="sm">
            {say("noMovements")}
          </Text>
        ) : (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{say("when")}</Table.Th>
                <Table.Th ta="right">±</Table.Th>
                <Table.Th ta="right">{say("left")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {movements.data.map((m) => (
                <Table.Tr key={m.id}>
                  <Table.Td>
                    <Text size="sm">{new Date(m.created_at).toLocaleString(language)}</Text>
                    <Text size="xs" c="dimmed" dir="auto">
                      {[say(`reason_${m.reason}`), ...m.variants.map((v) => names.get(v.variant_id)), m.comment].filter(Boolean).join(" · ")}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="right">{m.delta > 0 ? "+" + m.delta : m.delta}</Table.Td>
                  <Table.Td ta="right">{m.balance_after}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Drawer>
  );
}
