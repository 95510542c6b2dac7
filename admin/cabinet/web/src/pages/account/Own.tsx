import { Button, Group, Modal, PasswordInput, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { download } from "../../api/download";
import { useForget } from "../../frame/useSignOut";
import { Form } from "../../parts/Form";
import { failed } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/account";

// Own is what the law lets a person do: get everything that is stored about them, and be forgotten.
export function Own() {
  const { say } = useWords(words);
  const forget = useForget();
  const [deleting, setDeleting] = useState(false);
  const [password, setPassword] = useState("");
  const get = useMutation({ mutationFn: () => download("/v1/account/export", "vitrine-account.json"), onError: (error) => failed(say, error) });

  async function remove() {
    await answer(api.DELETE("/v1/account", { body: { password } }));
    forget();
  }

  return (
    <Panel title={say("data")}>
      <Group>
        <Button variant="default" loading={get.isPending} onClick={() => get.mutate()}>
          {say("downloadData")}
        </Button>
        <Button variant="light" color="red" onClick={() => setDeleting(true)}>
          {say("deleteAccount")}
        </Button>
      </Group>
      <Modal opened={deleting} onClose={() => setDeleting(false)} title={say("deleteAccount")} closeButtonProps={{ "aria-label": say("close") }}>
        <Form submit={say("deleteAccount")} fields={{ password }} onSubmit={remove}>
          {({ at }) => (
            <>
              <Text size="sm">{say("deleteText")}</Text>
              <PasswordInput label={say("password")} name="delete-password" autoComplete="current-password" required data-autofocus value={password} onChange={(e) => setPassword(e.currentTarget.value)} error={at("password")} />
            </>
          )}
        </Form>
      </Modal>
    </Panel>
  );
}
