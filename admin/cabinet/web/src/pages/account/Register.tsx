import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { enter } from "../../frame/session";
import { Form } from "../../parts/Form";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { LetterCode } from "./LetterCode";
import { NewPassword } from "./NewPassword";
import { PersonName } from "./PersonName";

// Register makes an account and asks for the code that proves its address. The account works
// before: on some installations the operator has to read the letters.
export default function Register({ onDone }: { onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [made, setMade] = useState(false);
  if (made) {
    return (
      <LetterCode wide email={email} onDone={onDone}>
        <Button variant="default" onClick={onDone}>
          {say("later")}
        </Button>
      </LetterCode>
    );
  }
  return (
    <Form
      wide
      submit={say("createAccount")}
      fields={{ name, email, password }}
      onSubmit={async () => {
        await answer(api.POST("/v1/auth/register", { body: { name, email, password, cookie: true } }));
        await enter(queries, () => setMade(true));
        await answer(api.POST("/v1/auth/code", { body: { email } }));
      }}
    >
      {({ at }) => (
        <>
          <PersonName value={name} onChange={setName} error={at("name")} />
          <TextInput label={say("email")} name="email" type="email" autoComplete="username" required maxLength={254} value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={at("email")} />
          <NewPassword label={say("password")} value={password} onChange={setPassword} error={at("password")} />
        </>
      )}
    </Form>
  );
}
