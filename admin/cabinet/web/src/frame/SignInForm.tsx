import { Alert, Anchor, Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { answer, api, Refusal } from "../api/client";
import { getPasskey } from "../api/passkey";
import { useWords } from "../words";
import { explained } from "./Failure";
import { signedIn } from "./session";

// SignInForm signs in with password, and where the account has one its second factor, or with a
// passkey. The session is a cookie that no script can read.
export function SignInForm({ email: known = "", onDone }: { email?: string; onDone: () => void }) {
  const { say } = useWords();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [factor, setFactor] = useState<"" | "totp" | "recovery_code">("");
  const [code, setCode] = useState("");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);

  async function attempt(sign: () => Promise<unknown>) {
    setBusy(true);
    setFault("");
    try {
      await sign();
      const me = await api.GET("/v1/auth/me");
      signedIn(me.response.ok);
      if (me.response.ok) onDone();
      else setFault(say("noCookie"));
    } catch (error) {
      if (error instanceof Refusal && error.code === "SECOND_FACTOR_REQUIRED") setFactor((f) => f || "totp");
      else if (error instanceof Refusal && error.status === 401) setFault(factor ? say("wrongCode") : say("wrongPassword"));
      else if (!(error instanceof DOMException)) setFault(explained(error, say)); // the person closed the browser's dialog
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const proof = factor ? { [factor]: code.trim() } : {};
    void attempt(() => answer(api.POST("/v1/auth/login", { body: { email, password, cookie: true, ...proof } })));
  }

  async function withPasskey() {
    const begun = await answer(api.POST("/v1/auth/passkeys/login/begin", {}));
    const passkey = await getPasskey(begun.result);
    await answer(api.POST("/v1/auth/passkeys/login/finish", { body: { ...passkey, cookie: true } }));
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {fault && (
          <Alert role="alert" color="red" variant="light">
            {fault}
          </Alert>
        )}
        <TextInput label={say("email")} type="email" name="email" autoComplete="username" required value={email} readOnly={known !== ""} onChange={(e) => setEmail(e.currentTarget.value)} />
        <PasswordInput label={say("password")} name="password" autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} />
        {factor && (
          <>
            <TextInput
              label={say(factor === "totp" ? "code" : "recoveryCode")}
              name="code"
              inputMode={factor === "totp" ? "numeric" : "text"}
              autoComplete="one-time-code"
              required
              autoFocus
              value={code}
              onChange={(e) => setCode(e.currentTarget.value)}
            />
            <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setFactor(factor === "totp" ? "recovery_code" : "totp")}>
              {say(factor === "totp" ? "useRecoveryCode" : "code")}
            </Anchor>
          </>
        )}
        <Button type="submit" loading={busy}>
          {say("signIn")}
        </Button>
        {window.PublicKeyCredential && (
          <>
            <Divider />
            <Button variant="default" leftSection={<IconFingerprint size={18} />} disabled={busy} onClick={() => void attempt(withPasskey)}>
              {say("passkey")}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}
