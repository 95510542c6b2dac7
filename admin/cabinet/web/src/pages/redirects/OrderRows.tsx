import { Group, Stack, Text } from "@mantine/core";
import { IconGripVertical } from "@tabler/icons-react";
import { useRef, useState, type DragEvent } from "react";
import { Place } from "../../parts/Place";
import { Pager } from "../../parts/Pager";
import { Address } from "../../parts/Address";
import type { Rule } from "./data";

const shown = 50;

// OrderRows are rules of one kind in their order, moved by dragging or with the buttons.
export function OrderRows({ rules, locked, onMove }: { rules: Rule[]; locked: boolean; onMove: (from: number, to: number) => void }) {
  const [page, setPage] = useState(1);
  const dragged = useRef<number>(undefined);
  const [over, setOver] = useState<number>();
  const first = (page - 1) * shown;
  const drop = (at: number) => ({
    draggable: !locked,
    onDragStart: (e: DragEvent) => {
      e.dataTransfer.effectAllowed = "move";
      e.dataTransfer.setData("text/plain", rules[at]!.from_path);
      dragged.current = at;
    },
    onDragOver: (e: DragEvent) => {
      if (dragged.current === undefined) return;
      e.preventDefault();
      setOver(at);
    },
    onDrop: (e: DragEvent) => {
      e.preventDefault();
      if (dragged.current !== undefined && dragged.current !== at) onMove(dragged.current, at);
    },
    onDragEnd: () => {
      dragged.current = undefined;
      setOver(undefined);
    },
  });
  return (
    <Stack gap={4} component="ol" m={0} p={0} style={{ listStyle: "none" }}>
      {rules.slice(first, first + shown).map((r, n) => {
        const at = first + n;
        return (
          <Group key={r.id} component="li" wrap="nowrap" gap="xs" p={4} bg={over === at ? "var(--mantine-primary-color-light)" : undefined} style={{ borderRadius: 4, cursor: locked ? undefined : "grab" }} data-rule={r.from_path} {...drop(at)}>
            {!locked && <IconGripVertical size={16} color="var(--mantine-color-dimmed)" aria-hidden />}
            <Text size="sm" c="dimmed" w={32} ta="right">
              {at + 1}
            </Text>
            <Stack gap={0} flex={1} miw={0}>
              <Address text={r.from_path} fw={500} />
              <Address text={"→ " + r.to_target} c="dimmed" size="xs" />
            </Stack>
            {!locked && <Place list={rules} at={at} name={r.from_path} removable={false} onChange={(next) => onMove(at, next.indexOf(r))} />}
          </Group>
        );
      })}
      <Pager total={rules.length} size={shown} page={page} onPage={(p) => setPage(p ?? 1)} />
    </Stack>
  );
}
