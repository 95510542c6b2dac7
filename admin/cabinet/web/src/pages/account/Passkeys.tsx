import { ActionIcon, Group, Modal, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { makePasskey } from "../../api/passkey";
import { Failure } from "../../frame/Failure";
import { meQuery } from "../../frame/session";
import { Form } from "../../parts/Form";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { deviceOf } from "./device";

type Passkey = Schemas["PeoplePasskey"];

// Passkeys are added, named and removed here.
export function Passkeys() {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ["me", "passkeys"], queryFn: async () => (await answer(api.GET("/v1/auth/passkeys", {}))).result });
  const [chosen, setChosen] = useState<{ key: Passkey; remove: boolean } | null>(null);
  const [name, setName] = useState(deviceOf(navigator.userAgent));
  const day = (text: string) => new Date(text).toLocaleDateString(language, { dateStyle: "medium" });

  async function done() {
    setChosen(null);
    await Promise.all([list.refetch(), queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true })]);
  }

  async function add() {
    const begun = await answer(api.POST("/v1/auth/passkeys/register/begin", {}));
    const made = await makePasskey(begun.result);
    await answer(api.POST("/v1/auth/passkeys/register/finish", { body: { ...made, name } }));
    await done();
  }

  async function change({ key, remove }: { key: Passkey; remove: boolean }) {
    const params = { path: { id: key.id } };
    if (remove) await answer(api.DELETE("/v1/auth/passkeys/{id}", { params }));
    else await answer(api.PUT("/v1/auth/passkeys/{id}", { params, body: { name: key.name } }));
    await done();
  }

  return (
    <Panel title={say("passkeys")} text={say("passkeysText")}>
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton h={40} />}
      {list.data?.length === 0 && <Text size="sm">{say("noPasskeys")}</Text>}
      {list.data?.map((key) => (
        <Group key={key.id} justify="space-between" wrap="nowrap">
          <Stack gap={0} miw={0}>
            <Text dir="auto">{key.name}</Text>
            <Text size="xs" c="dimmed">
              {say("added", { date: day(key.created_at) })}
              {key.last_used_at && " · " + say("lastUsed", { date: day(key.last_used_at) })}
            </Text>
          </Stack>
          <Group gap="xs" wrap="nowrap">
            <ActionIcon variant="default" size="lg" aria-label={`${say("passkeyName")}: ${key.name}`} onClick={() => setChosen({ key, remove: false })}>
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon variant="default" size="lg" aria-label={`${say("remove")}: ${key.name}`} onClick={() => setChosen({ key, remove: true })}>
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        </Group>
      ))}
      {window.PublicKeyCredential && (
        <Form submit={say("addPasskey")} fields={{ name }} onSubmit={add}>
          {({ at }) => <TextInput label={say("passkeyName")} name="passkey-name" required maxLength={255} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" />}
        </Form>
      )}
      <Modal opened={chosen !== null} onClose={() => setChosen(null)} title={say(chosen?.remove ? "remove" : "passkeyName")} closeButtonProps={{ "aria-label": say("close") }}>
        {chosen && (
          <Form submit={say(chosen.remove ? "remove" : "save")} fields={{ name }} onSubmit={() => change(chosen)}>
            {({ at }) =>
              chosen.remove ? (
                <Text>{say("removePasskeyText", { name: chosen.key.name })}</Text>
              ) : (
                <TextInput
                  label={say("passkeyName")}
                  required
                  maxLength={255}
                  data-autofocus
                  value={chosen.key.name}
                  onChange={(e) => setChosen({ ...chosen, key: { ...chosen.key, name: e.currentTarget.value } })}
                  error={at("name")}
                  dir="auto"
                />
              )
            }
          </Form>
        )}
      </Modal>
    </Panel>
  );
}
