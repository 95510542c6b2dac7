import { Anchor, Text, TextInput } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { answer, api } from "../../api/client";
import { enter } from "../../frame/session";
import { useFactor } from "../../frame/SignInForm";
import { Form } from "../../parts/Form";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { NewPassword } from "./NewPassword";

// LetterCode confirms an address with the code that was sent there, and sets a new password with it.
export function LetterCode({ email, newPassword, wide, onDone, children }: { email: string; newPassword?: boolean; wide?: boolean; onDone: () => void; children?: ReactNode }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const [password, setPassword] = useState("");
  const [waiting, setWaiting] = useState(true);
  const factor = useFactor();
  const { start } = useTimeout(() => setWaiting(false), 30_000, { autoInvoke: true });

  async function sendAgain() {
    await answer(api.POST("/v1/auth/code", { body: { email } }));
    setWaiting(true);
    start();
  }

  return (
    <Form
      wide={wide}
      submit={say(newPassword ? "setPassword" : "confirm")}
      fields={{ code, password }}
      meaning={factor.meaning}
      onSubmit={async () => {
        await answer(api.POST("/v1/auth/code/confirm", { body: { email, code: code.trim(), cookie: true, ...(newPassword ? { password } : {}), ...factor.proof } }));
        await enter(queries, onDone);
      }}
      more={() => children}
    >
      {({ at, busy, attempt }) => (
        <>
          <Text size="sm">{say("codeSent", { email })}</Text>
          <TextInput label={say("letterCode")} name="letter-code" inputMode="numeric" autoComplete="one-time-code" required autoFocus maxLength={20} value={code} onChange={(e) => setCode(e.currentTarget.value)} error={at("code")} />
          {newPassword && <NewPassword label={say("newPassword")} value={password} onChange={setPassword} error={at("password")} />}
          {factor.field}
          <Anchor component="button" type="button" size="sm" ta="left" disabled={waiting || busy} c={waiting ? "dimmed" : undefined} onClick={() => attempt(sendAgain)}>
            {say(waiting ? "sentJustNow" : "sendAgain")}
          </Anchor>
        </>
      )}
    </Form>
  );
}
