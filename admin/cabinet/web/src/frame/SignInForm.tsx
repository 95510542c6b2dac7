import { Anchor, PasswordInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../api/client";
import { getPasskey } from "../api/passkey";
import { Form } from "../parts/Form";
import { useWords } from "../words";
import { PasskeyButton } from "./PasskeyButton";
import { enter } from "./session";

// SignInForm signs in with password, and where the account has one its second factor, or with a
// passkey. The session is a cookie that no script can read.
export function SignInForm({ email: known = "", onDone }: { email?: string; onDone: () => void }) {
  const { say } = useWords();
  const queries = useQueryClient();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const factor = useFactor();

  async function sign(call: Promise<unknown>) {
    await call;
    await enter(queries, onDone);
  }

  async function withPasskey() {
    const begun = await answer(api.POST("/v1/auth/passkeys/login/begin", {}));
    const passkey = await getPasskey(begun.result);
    await answer(api.POST("/v1/auth/passkeys/login/finish", { body: { ...passkey, cookie: true } }));
  }

  return (
    <Form
      wide
      submit={say("signIn")}
      meaning={factor.meaning}
      onSubmit={() => sign(answer(api.POST("/v1/auth/login", { body: { email, password, cookie: true, ...factor.proof } })))}
      more={({ busy, attempt }) => <PasskeyButton disabled={busy} onClick={() => attempt(() => sign(withPasskey()))} />}
    >
      {() => (
        <>
          <TextInput label={say("email")} type="email" name="email" autoComplete="username" required value={email} readOnly={known !== ""} onChange={(e) => setEmail(e.currentTarget.value)} />
          <PasswordInput label={say("password")} name="password" autoComplete="current-password" required data-autofocus value={password} onChange={(e) => setPassword(e.currentTarget.value)} />
          {factor.field}
        </>
      )}
    </Form>
  );
}

// useFactor asks for the second factor once a call was refused for want of one.
export function useFactor() {
  const { say } = useWords();
  const [kind, setKind] = useState<"" | "totp" | "recovery_code">("");
  const [code, setCode] = useState("");
  return {
    proof: kind ? { [kind]: code.trim() } : {},
    meaning: (refusal: Refusal) => {
      if (refusal.code !== "SECOND_FACTOR_REQUIRED") return undefined;
      setKind((k) => k || "totp");
      return null;
    },
    field: kind && (
      <>
        <TextInput
          label={say(kind === "totp" ? "code" : "recoveryCode")}
          name="code"
          inputMode={kind === "totp" ? "numeric" : "text"}
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onChange={(e) => setCode(e.currentTarget.value)}
        />
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setKind(kind === "totp" ? "recovery_code" : "totp")}>
          {say(kind === "totp" ? "useRecoveryCode" : "code")}
        </Anchor>
      </>
    ),
  };
}
