import { ActionIcon, Group } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { useWords } from "../words";
import { moved } from "./order";

// Place are the buttons that move or remove the nth entry of a list.
export function Place<T>({ list, at, name, onChange, removable = true }: { list: T[]; at: number; name: string; onChange: (list: T[]) => void; removable?: boolean }) {
  const { say } = useWords();
  const labels = [`${say("moveUp")}: ${name}`, `${say("moveDown")}: ${name}`];
  function move(to: number) {
    onChange(moved(list, at, to));
    const order = to < at ? labels : labels.toReversed();
    // The button is drawn elsewhere now, and keeps the focus; at the end of the list the other one takes it.
    requestAnimationFrame(() => order.map((label) => document.querySelector<HTMLButtonElement>(`button[aria-label="${CSS.escape(label)}"]`)).find((b) => b && !b.disabled)?.focus());
  }
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <ActionIcon variant="subtle" color="gray" aria-label={labels[0]} disabled={at === 0} onClick={() => move(at - 1)}>
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={labels[1]} disabled={at === list.length - 1} onClick={() => move(at + 1)}>
        <IconArrowDown size={16} />
      </ActionIcon>
      {removable && (
        <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")}: ${name}`} onClick={() => onChange(list.filter((_, i) => i !== at))}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </Group>
  );
}
