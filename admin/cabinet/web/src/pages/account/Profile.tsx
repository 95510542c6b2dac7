import { Alert, Button, Checkbox, Group, PasswordInput, Select, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, type Body, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { meQuery } from "../../frame/session";
import { Form } from "../../parts/Form";
import { told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { LetterCode } from "./LetterCode";
import { NewPassword } from "./NewPassword";
import { PersonName } from "./PersonName";

type Me = Schemas["AccessMeView"];

function useSave() {
  const queries = useQueryClient();
  return async (body: Body<"put", "/v1/auth/me">) => {
    const { result } = await answer(api.PUT("/v1/auth/me", { body }));
    queries.setQueryData(meQuery.queryKey, result);
    return result;
  };
}

export function Profile({ me }: { me: Me }) {
  const { say, choose } = useWords(words);
  const save = useSave();
  const [name, setName] = useState(me.name);
  const [phone, setPhone] = useState(me.phone);
  const [language, setLanguage] = useState(me.language);
  const body = { name, phone, language: language as "en", expected_updated_at: me.updated_at };
  const changed = name !== me.name || phone !== me.phone || language !== me.language;
  useShownCall({ ...(changed ? { method: "PUT", body } : { method: "GET" }), path: "/v1/auth/me", session: true });
  return (
    <Panel title={say("profile")}>
      <Form
        submit={say("save")}
        fields={{ name, phone }}
        onSubmit={async () => {
          await save(body);
          if (language === "en" || language === "ru") choose(language);
          told(say, say("saved"));
        }}
      >
        {({ at }) => (
          <>
            <PersonName value={name} onChange={setName} error={at("name")} />
            <TextInput label={say("phone")} name="phone" type="tel" autoComplete="tel" maxLength={64} value={phone} onChange={(e) => setPhone(e.currentTarget.value)} error={at("phone")} />
            <Select
              label={say("language")}
              data={[
                { value: "", label: say("asBrowser") },
                { value: "en", label: "English" },
                { value: "ru", label: "Русский" },
              ]}
              value={language}
              allowDeselect={false}
              onChange={(l) => setLanguage((l ?? "") as Me["language"])}
            />
          </>
        )}
      </Form>
    </Panel>
  );
}

export function Email({ me }: { me: Me }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const save = useSave();
  const [step, setStep] = useState<"" | "change" | "confirm">("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const asked = me.next_email || me.email;
  return (
    <Panel title={say("email")}>
      <Text dir="auto">{me.email}</Text>
      {step === "" && (!me.proven || me.next_email) && (
        <Alert variant="light" color="orange">
          {me.next_email ? `${say("newEmail")}: ${me.next_email}. ` : ""}
          {say("notProven")}
        </Alert>
      )}
      {step === "" && (
        <Group>
          {(!me.proven || me.next_email) && <Button onClick={() => void answer(api.POST("/v1/auth/code", { body: { email: asked } })).then(() => setStep("confirm"))}>{say("confirmIt")}</Button>}
          <Button variant="default" onClick={() => setStep("change")}>
            {say("changeEmail")}
          </Button>
        </Group>
      )}
      {step === "change" && (
        <Form
          submit={say("sendCode")}
          fields={{ email, password }}
          onSubmit={async () => {
            const saved = await save({ email, password });
            setStep(saved.next_email ? "confirm" : "");
          }}
        >
          {({ at }) => (
            <>
              <TextInput label={say("newEmail")} name="email" type="email" autoComplete="email" required autoFocus maxLength={254} value={email} onChange={(e) => setEmail(e.currentTarget.value)} error={at("email")} />
              <PasswordInput label={say("password")} name="password" autoComplete="current-password" required value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={at("password")} />
            </>
          )}
        </Form>
      )}
      {step === "confirm" && (
        <LetterCode
          email={asked}
          onDone={() => {
            setStep("");
            void queries.invalidateQueries();
          }}
        />
      )}
    </Panel>
  );
}

export function Password() {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const empty = { password: "", new_password: "", end_keys: false };
  const [typed, setTyped] = useState(empty);
  return (
    <Panel title={say("changePassword")} text={say("passwordEnds")}>
      <Form
        submit={say("changePassword")}
        fields={typed}
        onSubmit={async () => {
          const { result } = await answer(api.POST("/v1/auth/password", { body: typed }));
          setTyped(empty);
          told(say, say("passwordChanged", { n: result.ended_sessions }));
          await queries.invalidateQueries({ queryKey: ["me", "sessions"] });
        }}
      >
        {({ at }) => (
          <>
            <PasswordInput
              label={say("currentPassword")}
              name="current-password"
              autoComplete="current-password"
              required
              value={typed.password}
              onChange={(e) => setTyped({ ...typed, password: e.currentTarget.value })}
              error={at("password")}
            />
            <NewPassword label={say("newPassword")} name="new-password" value={typed.new_password} onChange={(new_password) => setTyped({ ...typed, new_password })} error={at("new_password")} />
            <Checkbox label={say("endKeys")} checked={typed.end_keys} onChange={(e) => setTyped({ ...typed, end_keys: e.currentTarget.checked })} />
          </>
        )}
      </Form>
    </Panel>
  );
}
