import { TextInput } from "@mantine/core";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Form } from "../../parts/Form";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { LetterCode } from "./LetterCode";

// Forgot sets a new password with a code that is sent to the address of the account.
export default function Forgot({ onDone }: { onDone: () => void }) {
  const { say } = useWords(words);
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(false);
  if (sent) return <LetterCode wide email={email} newPassword onDone={onDone} />;
  return (
    <Form
      wide
      submit={say("sendCode")}
      fields={{ email }}
      onSubmit={async () => {
        await answer(api.POST("/v1/auth/code", { body: { email } }));
        setSent(true);
      }}
    >
      {({ at }) => (
        <TextInput
          label={say("email")}
          description={say("forgotText")}
          name="email"
          type="email"
          autoComplete="username"
          required
          maxLength={254}
          value={email}
          onChange={(e) => setEmail(e.currentTarget.value)}
          error={at("email")}
        />
      )}
    </Form>
  );
}
