import { ActionIcon, Code, CopyButton, Group } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useWords } from "../words";

// Copied is a text that is needed elsewhere, with a button that copies it. A text of several lines
// needs a label.
export function Copied({ text, label }: { text: string; label?: string }) {
  const { say } = useWords();
  return (
    <Group gap={4} wrap="nowrap" align={label ? "flex-start" : "center"}>
      <Code block={label !== undefined} miw={0} style={{ whiteSpace: "pre-wrap", wordBreak: "break-all" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon variant="subtle" color="gray" aria-label={copied ? say("copied") : `${say("copy")}: ${label ?? text}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
