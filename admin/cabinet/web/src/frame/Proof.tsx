import { Alert, Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { answer, api, Refusal } from "../api/client";
import { getPasskey } from "../api/passkey";
import { onAsk, type Need } from "../api/proof";
import { useWords } from "../words";
import { explained } from "./Failure";
import { meQuery } from "./session";
import { SignInForm } from "./SignInForm";

// Proof asks over the page for a session or a fresh proof that a waiting call needs, so that
// nothing that was typed is lost.
export function Proof() {
  const { say } = useWords();
  const queries = useQueryClient();
  const [need, setNeed] = useState<Need | null>(null);
  const resolve = useRef<(given: boolean) => void>(() => {});

  useEffect(() => {
    onAsk((asked) => {
      if (asked === "session" && !queries.getQueryData(meQuery.queryKey)) return Promise.resolve(false); // the page itself asks
      return new Promise((r) => {
        resolve.current = r;
        setNeed(asked);
      });
    });
  }, [queries]);

  function end(given: boolean) {
    setNeed(null);
    resolve.current(given);
    if (!given && need === "session") queries.setQueryData(meQuery.queryKey, null);
  }

  const me = queries.getQueryData(meQuery.queryKey);
  return (
    <Modal opened={need !== null} onClose={() => end(false)} title={say(need === "session" ? "signInAgain" : "proofTitle")} closeButtonProps={{ "aria-label": say("close") }} zIndex={400}>
      <Stack>
        <Text size="sm">{say(need === "session" ? "signInAgainText" : "proofText")}</Text>
        {need === "session" && <SignInForm email={me?.email ?? ""} onDone={() => end(true)} />}
        {need === "proof" && <FreshProof onDone={() => end(true)} factors={me?.second_factor} />}
      </Stack>
    </Modal>
  );
}

function FreshProof({ onDone, factors }: { onDone: () => void; factors: { totp: boolean; passkeys: number } | undefined }) {
  const { say } = useWords();
  const [password, setPassword] = useState("");
  const [totp, setTOTP] = useState("");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);

  async function prove(make: () => Promise<{ password?: string; totp?: string; passkey?: Awaited<ReturnType<typeof getPasskey>> }>) {
    setBusy(true);
    setFault("");
    try {
      await answer(api.POST("/v1/auth/reauth", { body: await make() }));
      onDone();
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) setFault(say("wrongCode"));
      else if (!(error instanceof DOMException)) setFault(explained(error, say));
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    void prove(() => Promise.resolve(factors?.totp ? { totp: totp.trim() } : { password }));
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {fault && (
          <Alert role="alert" color="red" variant="light">
            {fault}
          </Alert>
        )}
        {factors?.totp ? (
          <TextInput label={say("code")} inputMode="numeric" autoComplete="one-time-code" required value={totp} onChange={(e) => setTOTP(e.currentTarget.value)} />
        ) : (
          <PasswordInput label={say("password")} autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} />
        )}
        <Button type="submit" loading={busy}>
          {say("proofTitle")}
        </Button>
        {factors && factors.passkeys > 0 && (
          <Button
            variant="default"
            disabled={busy}
            onClick={() =>
              void prove(async () => {
                const begun = await answer(api.POST("/v1/auth/passkeys/login/begin", {}));
                return { passkey: await getPasskey(begun.result) };
              })
            }
          >
            {say("passkey")}
          </Button>
        )}
      </Stack>
    </form>
  );
}
