import { Alert, Button, CopyButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { useWords } from "../words";

// Secret is a text that the API shows once.
export function Secret({ title, values, onKept }: { title: string; values: { label: string; value: string }[]; onKept: () => void }) {
  const { say } = useWords();
  return (
    <Alert variant="light" role="alert" title={<span dir="auto">{title}</span>}>
      <Stack gap="sm">
        <Text size="sm">{say("shownOnce")}</Text>
        {values.map(({ label, value }) => (
          <Group key={label} gap="xs" align="flex-end">
            <TextInput label={label} readOnly value={value} onFocus={(e) => e.currentTarget.select()} dir="ltr" flex="1 1 240px" maw={480} />
            <CopyButton value={value}>
              {({ copied, copy }) => (
                <Button variant="default" aria-label={`${say("copy")}: ${label}`} onClick={copy}>
                  {say(copied ? "copied" : "copy")}
                </Button>
              )}
            </CopyButton>
          </Group>
        ))}
        <Group>
          <Button onClick={onKept}>{say("keptIt")}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
