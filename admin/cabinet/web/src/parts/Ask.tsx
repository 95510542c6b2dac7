import { Button, Group, Modal, Text } from "@mantine/core";
import { useWords } from "../words";

// Ask asks before what cannot be undone.
export function Ask({ title, text, yes, doing, onYes, onClose }: { title: string; text: string; yes?: string; doing: boolean; onYes: () => void; onClose: () => void }) {
  const { say } = useWords();
  return (
    <Modal opened onClose={onClose} title={<span dir="auto">{title}</span>} closeButtonProps={{ "aria-label": say("close") }}>
      <Text size="sm">{text}</Text>
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {say("cancel")}
        </Button>
        <Button color="red" loading={doing} onClick={onYes}>
          {yes ?? say("remove")}
        </Button>
      </Group>
    </Modal>
  );
}
