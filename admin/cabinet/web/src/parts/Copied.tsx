import { ActionIcon, Code, CopyButton, Group } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useWords } from "../words";

// Copied is a text that is needed elsewhere, with a button that copies it.
export function Copied({ text }: { text: string }) {
  const { say } = useWords();
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ wordBreak: "break-all" }}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon variant="subtle" color="gray" aria-label={copied ? say("copied") : `${say("copy")}: ${text}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
