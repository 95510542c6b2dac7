import { Alert, Button, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Refusal, type Fault } from "../api/client";
import { ButtonLink } from "../parts/links";
import { useWords, type Say } from "../words";
import { frame } from "../words/frame";

// faultText says what a refusal means in the person's language, with the API's own words where the
// cabinet has none.
export function faultText({ code, detail }: Pick<Fault, "code" | "detail">, say: Say): string {
  const word = `code_${code}`;
  return word in frame ? say(word as keyof typeof frame) : detail || code;
}

function tooOften(seconds: number, say: Say): string {
  if (seconds === 0) return say("tooOften");
  return seconds < 100 ? say("tooOftenSeconds", { n: seconds }) : say("tooOftenMinutes", { n: Math.ceil(seconds / 60) });
}

// explained says what a failed call means.
export function explained(error: unknown, say: Say): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : say("failed");
  if (error.status === 0) return say("offline");
  if (`code_${error.code}` in frame) return faultText(error, say);
  if (error.code === "RATE_LIMITED") return tooOften(error.wait, say);
  if (error.status === 403) return say("noRight") + " (" + error.code + ")";
  if (error.status === 404) return say("notFound");
  return faultText(error, say);
}

// Failure replaces a part of a page whose data did not come, or the whole page.
export function Failure({ error, page, retry }: { error: unknown; page?: boolean; retry?: () => void }) {
  const { say } = useWords();
  return (
    <Stack p="md" maw={640}>
      {page && (
        <Title order={1} className="skip">
          {say("failed")}
        </Title>
      )}
      <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle />} title={error ? say("failed") : say("notFound")}>
        {error ? <Text size="sm">{explained(error, say)}</Text> : null}
        {error instanceof Refusal && error.code === "SECOND_FACTOR_MISSING" && (
          <ButtonLink to="/account" mt="sm" mr="sm" size="xs">
            {say("toAccount")}
          </ButtonLink>
        )}
        {retry && (
          <Button mt="sm" size="xs" variant="default" onClick={retry}>
            {say("retry")}
          </Button>
        )}
      </Alert>
    </Stack>
  );
}
