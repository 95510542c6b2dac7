import { Alert, Button, Stack } from "@mantine/core";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Refusal } from "../api/client";
import { explained, faultText } from "../frame/Failure";
import { useWords } from "../words";

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export interface Attempt {
  busy: boolean;
  // at returns what the last call refused at a place of its request.
  at: (place: string) => string | undefined;
  attempt: (call: () => Promise<unknown>) => void;
}

const noFields = {};

// Form makes one call at a time, keeps what was typed, and says beside the fields why the last call
// was refused, until they change. fields are the values of its fields, by their places in the request.
// meaning may say what a refusal means here; null: the form itself shows it.
export function Form({
  onSubmit,
  submit,
  fields = noFields,
  meaning,
  wide,
  more,
  children,
}: {
  onSubmit: () => Promise<unknown>;
  submit: string;
  fields?: Record<string, unknown>;
  meaning?: (refusal: Refusal) => string | null | undefined;
  wide?: boolean;
  more?: (a: Attempt) => ReactNode; // below the button
  children: (a: Attempt) => ReactNode;
}) {
  const { say } = useWords();
  const [failure, setFailure] = useState<{ error: unknown; own: string | null | undefined; sent: Record<string, unknown> }>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid="true"]')?.focus(), [failure]);

  async function run(call: () => Promise<unknown>) {
    setBusy(true);
    setFailure(undefined);
    try {
      await call();
    } catch (error) {
      if (error instanceof DOMException) return; // the person closed the browser's dialog
      setFailure({ error, sent: fields, own: error instanceof Refusal ? meaning?.(error) : undefined });
    } finally {
      setBusy(false);
    }
  }
  const faults = failure?.error instanceof Refusal ? failure.error.faults : [];
  const at = (place: string) => {
    const fault = faults.find((f) => f.place === place);
    return fault && same(failure?.sent[place], fields[place]) ? faultText(fault, say) : undefined;
  };
  const beside = faults.length > 0 && faults.every((f) => f.place in failure!.sent);
  const a: Attempt = { busy, at, attempt: (call) => void run(call) };
  return (
    <form
      ref={form}
      onSubmit={(e: FormEvent) => {
        e.preventDefault();
        if (!busy) void run(onSubmit);
      }}
    >
      <Stack>
        {failure && failure.own !== null && !beside && (
          <Alert role="alert" color="red" variant="light">
            {failure.own ?? explained(failure.error, say)}
          </Alert>
        )}
        {children(a)}
        <Button type="submit" loading={busy} style={wide ? undefined : { alignSelf: "flex-start" }}>
          {submit}
        </Button>
        {more?.(a)}
      </Stack>
    </form>
  );
}
