import { Button, Group, Modal, Text } from "@mantine/core";
import type { useBlocker } from "@tanstack/react-router";
import { memo } from "react";
import { useWords } from "../words";

// Leaving asks before the person leaves a page and loses something. It is not drawn at each letter that is typed.
export const Leaving = memo(function Leaving({ blocker, text, onLeave }: { blocker: ReturnType<typeof useBlocker>; text: string; onLeave?: () => void }) {
  const { say } = useWords();
  return (
    <Modal opened={blocker?.status === "blocked"} onClose={() => blocker?.reset?.()} title={say("leaveTitle")} closeButtonProps={{ "aria-label": say("close") }}>
      <Text size="sm">{text}</Text>
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={() => blocker?.reset?.()} data-autofocus>
          {say("stay")}
        </Button>
        <Button
          color="red"
          onClick={() => {
            onLeave?.();
            blocker?.proceed?.();
          }}
        >
          {say("leave")}
        </Button>
      </Group>
    </Modal>
  );
});
