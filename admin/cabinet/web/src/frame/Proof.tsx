import { Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, api, type Body, type Schemas } from "../api/client";
import { getPasskey } from "../api/passkey";
import { onAsk, type Need } from "../api/proof";
import { Form } from "../parts/Form";
import { useWords } from "../words";
import { PasskeyButton } from "./PasskeyButton";
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

function FreshProof({ onDone, factors }: { onDone: () => void; factors: Schemas["PeopleFactors"] | undefined }) {
  const { say } = useWords();
  const [password, setPassword] = useState("");
  const [totp, setTOTP] = useState("");

  async function prove(body: Body<"post", "/v1/auth/reauth">) {
    await answer(api.POST("/v1/auth/reauth", { body }));
    onDone();
  }

  async function withPasskey() {
    const begun = await answer(api.POST("/v1/auth/passkeys/login/begin", {}));
    await prove({ passkey: await getPasskey(begun.result) });
  }

  return (
    <Form
      wide
      submit={say("proofTitle")}
      onSubmit={() => prove(factors?.totp ? { totp: totp.trim() } : { password })}
      more={({ busy, attempt }) => factors && factors.passkeys > 0 && <PasskeyButton disabled={busy} onClick={() => attempt(withPasskey)} />}
    >
      {() =>
        factors?.totp ? (
          <TextInput label={say("code")} name="code" inputMode="numeric" autoComplete="one-time-code" required data-autofocus value={totp} onChange={(e) => setTOTP(e.currentTarget.value)} />
        ) : (
          <PasswordInput label={say("password")} name="password" autoComplete="current-password" required data-autofocus value={password} onChange={(e) => setPassword(e.currentTarget.value)} />
        )
      }
    </Form>
  );
}
