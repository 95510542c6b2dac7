import { Button, Group, Text } from "@mantine/core";
import { randomId } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { Refusal } from "../api/client";
import { explained } from "../frame/Failure";
import type { Say } from "../words";

const offline = "offline";

// A key acts on the page, not on what is typed: neither in fields nor in dialogs.
export const typing = "textarea, select, [contenteditable=true], [role=dialog], input:not([type=checkbox], [type=radio])";

// What the notices that are shown can take back, the latest last.
const offers = new Map<string, () => void>();

// Ctrl+Z outside of what is typed takes back what the latest notice offers to.
addEventListener("keydown", (e) => {
  if (!(e.ctrlKey || e.metaKey) || e.shiftKey || e.code !== "KeyZ" || (e.target as Element).closest(typing)) return;
  const undo = [...offers.values()].at(-1);
  if (!undo) return;
  e.preventDefault();
  undo();
});

// told says that something was done, so the connection is back. With undo it offers to take it back.
export function told(say: Say, text: string, undo?: () => Promise<unknown>) {
  const id = undo ? randomId() : text; // the same again takes the place of what was said
  function takeBack() {
    offers.delete(id);
    notifications.hide(id);
    void undo!().then(
      () => told(say, say("undone")),
      (error: unknown) => failed(say, error),
    );
  }
  if (undo) offers.set(id, takeBack);
  notifications.hide(id);
  notifications.hide(offline);
  notifications.show({
    id,
    closeButtonProps: { "aria-label": say("close") },
    autoClose: undo ? 15_000 : 4_000,
    onClose: () => offers.delete(id),
    message: undo ? (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" component="span">
          {text}
        </Text>
        <Text size="xs">Ctrl Z</Text>
        <Button size="compact-sm" variant="light" onClick={takeBack}>
          {say("undo")}
        </Button>
      </Group>
    ) : (
      text
    ),
  });
}

// failed says what did not work and why, and with which of several things. That there is no connection is
// said once, until something succeeds.
export function failed(say: Say, error: unknown, what = "") {
  const cut = error instanceof Refusal && error.status === 0;
  if (cut) notifications.hide(offline);
  notifications.show({ ...(cut && { id: offline }), color: "red", title: [say("failed"), what].filter(Boolean).join(": "), message: explained(error, say), autoClose: 10_000, closeButtonProps: { "aria-label": say("close") } });
}
