import { Accordion, Button, Checkbox, Group, Loader, Modal, ScrollArea, Select, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { CallText, curl } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { useLong } from "../../parts/long";
import type { Section, SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { move, parentAfter, type Move, type Plan } from "./moves";
import { ParentSelect } from "./ParentSelect";

// MoveDialog shows which addresses a move changes and what becomes of the old ones, before it is done.
export default function MoveDialog({
  shop,
  tree,
  section,
  target,
  pins,
  saving,
  onMove,
  onClose,
}: {
  shop: string;
  tree: SectionTree;
  section: Section;
  target: Move | undefined;
  pins: boolean;
  saving: boolean;
  onMove: (to: Move, pin: boolean) => void;
  onClose: () => void;
}) {
  const { say } = useWords(words);
  const [to, setTo] = useState(target);
  const [pin, setPin] = useState(false);
  const parent = to && parentAfter(tree, to);
  const siblings = useMemo(() => (parent === undefined ? [] : tree.children(parent).filter((s) => s.id !== section.id)), [tree, parent, section.id]);
  const plan = useQuery({
    queryKey: [shop, "move", to, pin],
    queryFn: () => move(to!, { dry_run: true, pin_rules: pin }),
    enabled: to !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });

  // Enter moves, once it can be seen what the move does.
  const ready = plan.isSuccess && target !== undefined;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (ready) button.current?.focus();
  }, [ready]);

  const places = useMemo(
    () => [{ value: "inside", label: say("lastInside") }, ...siblings.map((s) => ({ value: `before ${s.id}`, label: say("beforeSection", { name: s.name }) })), ...siblings.slice(-1).map((s) => ({ value: `after ${s.id}`, label: say("afterSection", { name: s.name }) }))],
    [siblings, say],
  );
  // "after" one sibling is "before" the next, which is what the list has.
  const next = to?.type === "after" ? siblings[siblings.findIndex((s) => s.id === to.to_id) + 1] : undefined;
  const place = !to || to.type === "inside" ? "inside" : next ? `before ${next.id}` : `${to.type} ${to.to_id}`;

  const drawn = useLong(places, place);

  return (
    <Modal opened onClose={onClose} title={<span dir="auto">{say("moveTitle", { name: section.name })}</span>} size="xl" closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        <ParentSelect
          tree={tree}
          without={section.id}
          label={say("into")}
          value={parent === undefined ? null : String(parent)}
          onChange={(v) => v && setTo({ from_id: section.id, to_id: Number(v), type: "inside" })}
          data-autofocus={target ? undefined : true}
        />
        {siblings.length > 0 && (
          <Select
            label={say("place")}
            value={place}
            allowDeselect={false}
            {...drawn}
            onChange={(v) => {
              const [type, id] = (v ?? "inside").split(" ");
              setTo({ from_id: section.id, to_id: type === "inside" ? parent! : Number(id), type: type as Move["type"] });
            }}
          />
        )}
        {plan.isError ? <Failure error={plan.error} /> : plan.data ? <Changes plan={plan.data} /> : to && <Loader size="sm" aria-label={say("loading")} />}
        {pins && plan.data && plan.data.url_changes.length > 0 && (
          <Checkbox
            label={say("pin")}
            description={say("pinHint") + (pin && !plan.isFetching ? " " + say("rulesWillBe", { n: plan.data.rules_created }) : "")}
            checked={pin}
            onChange={(e) => setPin(e.currentTarget.checked)}
          />
        )}
        {to && (
          <Accordion variant="contained">
            <Accordion.Item value="call">
              <Accordion.Control>{say("asCall")}</Accordion.Control>
              <Accordion.Panel>
                <CallText text={curl({ method: "POST", path: "/categories/move", body: { ...to, pin_rules: pin } })} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say("cancel")}
          </Button>
          <Button ref={button} disabled={!to || plan.isError || plan.isPending} loading={saving} onClick={() => onMove(to!, pin)}>
            {say("move")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

// Changes lists what becomes of the addresses.
function Changes({ plan }: { plan: Plan }) {
  const { say } = useWords(words);
  if (plan.url_changes.length === 0) return <Text size="sm">{say("noAddressChanges")}</Text>;
  const all = plan.categories_affected + plan.products_affected;
  return (
    <Stack gap="xs" aria-live="polite">
      <Text size="sm">
        {[plan.categories_affected > 0 && say("sectionAddresses", { n: plan.categories_affected }), plan.products_affected > 0 && say("productAddresses", { n: plan.products_affected })].filter(Boolean).join("; ")}
        {all > plan.url_changes.length && " · " + say("examples", { n: plan.url_changes.length })}
      </Text>
      <ScrollArea.Autosize mah={280} viewportProps={{ tabIndex: 0, role: "region", "aria-label": say("newAddress") }}>
        <Table verticalSpacing={4} fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("oldAddress")}</Table.Th>
              <Table.Th>{say("newAddress")}</Table.Th>
              <Table.Th visibleFrom="sm">{say("oldLeads")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {plan.url_changes.map((c) => (
              <Table.Tr key={c.old_path}>
                <Table.Td dir="ltr">{c.old_path}</Table.Td>
                <Table.Td dir="ltr">{c.new_path}</Table.Td>
                <Table.Td c={c.covered_by === "none" ? "red" : undefined} visibleFrom="sm">
                  {say(`covered_${c.covered_by as "auto" | "rule" | "fallback" | "none"}`)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </Stack>
  );
}
