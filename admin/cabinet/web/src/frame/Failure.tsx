import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Refusal } from "../api/client";
import { useWords, type Say } from "../words";

// explained says in the person's language what a failed call means, with the API's own words where
// the cabinet has none.
export function explained(error: unknown, say: Say): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : say("failed");
  if (error.status === 0) return say("offline");
  if (error.status === 429) return say("tooMany");
  if (error.status === 403) return say("noRight") + " (" + error.code + ")";
  if (error.status === 404) return say("notFound");
  return error.detail || error.code;
}

// Failure replaces a part of the page whose data did not come.
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { say } = useWords();
  return (
    <Stack p="md" maw={640}>
      <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle />} title={error ? say("failed") : say("notFound")}>
        {error ? <Text size="sm">{explained(error, say)}</Text> : null}
        {retry && (
          <Button mt="sm" size="xs" variant="default" onClick={retry}>
            {say("retry")}
          </Button>
        )}
      </Alert>
    </Stack>
  );
}
