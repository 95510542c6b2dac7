import { Button, Group, Modal, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useWords } from "../words";

// Ask asks before what cannot be undone. children say more than the text does. Without onYes there
// is nothing to agree to yet.
export function Ask({ title, text, yes, doing, children, onYes, onClose }: { title: string; text: string; yes?: string; doing: boolean; children?: ReactNode; onYes: (() => void) | undefined; onClose: () => void }) {
  const { say } = useWords();
  return (
    <Modal opened onClose={onClose} title={<span dir="auto">{title}</span>} closeButtonProps={{ "aria-label": say("close") }}>
      <Text size="sm">{text}</Text>
      {children}
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {say("cancel")}
        </Button>
        <Button color="red" loading={doing} disabled={!onYes} onClick={onYes}>
          {yes ?? say("remove")}
        </Button>
      </Group>
    </Modal>
  );
}
