import { Alert, Button, Code, CopyButton, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { save } from "../../api/download";
import { meQuery } from "../../frame/session";
import { Form } from "../../parts/Form";
import { failed } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/account";

// App sets up and removes the authenticator app.
export function App({ factors }: { factors: Schemas["PeopleFactors"] }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [codes, setCodes] = useState<string[] | null>(null);
  const [removing, setRemoving] = useState(false);
  const [code, setCode] = useState("");
  const begin = useMutation({ mutationFn: async () => (await answer(api.POST("/v1/auth/totp", {}))).result, onError: (error) => failed(say, error) });
  const refresh = () => queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true });

  const field = (
    <TextInput
      label={say(factors.totp ? "removeAppText" : "code")}
      name="app-code"
      inputMode={factors.totp ? "text" : "numeric"}
      autoComplete="one-time-code"
      required
      autoFocus
      maxLength={40}
      value={code}
      onChange={(e) => setCode(e.currentTarget.value)}
    />
  );

  async function confirm() {
    const { result } = await answer(api.POST("/v1/auth/totp/confirm", { body: { code: code.trim() } }));
    setCodes(result.recovery_codes);
    setCode("");
    begin.reset();
    await refresh();
  }

  async function remove() {
    await answer(api.DELETE("/v1/auth/totp", { body: { code: code.trim() } }));
    setRemoving(false);
    setCode("");
    await refresh();
  }

  return (
    <Panel title={say("app")} text={say("appText")}>
      {codes ? (
        <Codes codes={codes} onKept={() => setCodes(null)} />
      ) : factors.totp ? (
        <>
          <Text>{say("appOn", { n: factors.recovery_codes })}</Text>
          {removing ? (
            <Form submit={say("removeApp")} onSubmit={remove}>
              {() => field}
            </Form>
          ) : (
            <Group>
              <Button variant="default" onClick={() => setRemoving(true)}>
                {say("removeApp")}
              </Button>
            </Group>
          )}
        </>
      ) : begin.data ? (
        <Form submit={say("addApp")} onSubmit={confirm}>
          {() => (
            <>
              <Text size="sm">{say("scan")}</Text>
              <QRCodeSVG value={begin.data.uri} size={200} marginSize={2} title={say("app")} />
              <Text size="sm">
                {say("secretKey")}: <Code>{begin.data.secret}</Code>
              </Text>
              {field}
            </>
          )}
        </Form>
      ) : (
        <Group>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            {say("addApp")}
          </Button>
        </Group>
      )}
    </Panel>
  );
}

function Codes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  const { say } = useWords(words);
  const text = codes.join("\n") + "\n";
  return (
    <Stack gap="sm">
      <Alert variant="light" title={say("recoveryCodes")}>
        {say("recoveryText")}
      </Alert>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((c) => (
          <Code key={c} fz="md">
            {c}
          </Code>
        ))}
      </SimpleGrid>
      <Group>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {say(copied ? "copied" : "copy")}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" onClick={() => save(new Blob([text], { type: "text/plain" }), "vitrine-recovery-codes.txt")}>
          {say("download")}
        </Button>
        <Button onClick={onKept}>{say("keptThem")}</Button>
      </Group>
    </Stack>
  );
}
