import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { dateText, moment, momentField, wallTime } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { webhookQuery, type Webhook } from "./data";

// Health says whether a receiver accepts deliveries, and repairs it: a test, switching on, and sending
// again what was lost.
export function Health({ shop, hook, zone, locked, onChanged }: { shop: string; hook: Webhook; zone: string; locked: boolean; onChanged: (hook: Webhook) => void }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const [replaying, setReplaying] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: webhookQuery(shop, hook.id).queryKey });

  const test = useMutation({
    mutationFn: async () => (await answer(api.POST("/webhooks/{id}/test", { params: { path: { id: hook.id } } }))).result,
    onError: (error) => failed(say, error),
    onSettled: refresh,
  });
  const switchOn = useMutation({
    mutationFn: async () => (await answer(api.PUT("/webhooks/{id}", { params: { path: { id: hook.id } }, body: { is_active: true, expected_updated_at: hook.updated_at } }))).result,
    onSuccess: (saved) => {
      onChanged(saved);
      told(say, say("switchedOnNow"));
    },
    onError: (error) => {
      failed(say, error);
      void refresh();
    },
  });

  return (
    <Stack gap="sm">
      {!hook.is_active ? (
        <Alert variant="light" color="orange" title={say("off")}>
          {say("offText")}
        </Alert>
      ) : hook.failing_since ? (
        <Alert variant="light" color="red" title={say("failingSince", { date: dateText(hook.failing_since, zone, language) })}>
          {say("failingText", { reason: hook.last_error || String(hook.last_status) })}
        </Alert>
      ) : null}
      {!locked && (
        <Group gap="xs">
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {say("sendTest")}
          </Button>
          {hook.is_active ? (
            <Button variant="default" onClick={() => setReplaying(true)}>
              {say("replay")}
            </Button>
          ) : (
            <Button loading={switchOn.isPending} onClick={() => switchOn.mutate()}>
              {say("switchOn")}
            </Button>
          )}
        </Group>
      )}
      {test.data && (
        <Alert variant="light" color={test.data.error ? "red" : "teal"} role="status">
          {test.data.error ? say("testFailed", { reason: test.data.error }) : say("testAccepted", { status: test.data.status })}
        </Alert>
      )}
      {replaying && <Replay hook={hook} zone={zone} refresh={refresh} onClose={() => setReplaying(false)} />}
    </Stack>
  );
}

const week = 7 * 24 * 3600_000;

// Replay queues the dead deliveries since a time.
function Replay({ hook, zone, refresh, onClose }: { hook: Webhook; zone: string; refresh: () => Promise<void>; onClose: () => void }) {
  const { say } = useWords(words);
  const [since, setSince] = useState(() => wallTime(hook.failing_since ?? Date.now() - week, zone));
  return (
    <Modal opened onClose={onClose} title={say("replay")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("replay")}
        fields={{ since }}
        onSubmit={async () => {
          const { result } = await answer(api.POST("/webhooks/{id}/replay", { params: { path: { id: hook.id } }, body: { since: moment(since, zone) ?? since } }));
          told(say, say("replayed", { n: Number(result.queued) }) + (result.more ? " " + say("replayMore") : ""));
          onClose();
          await refresh();
        }}
      >
        {({ at }) => (
          <>
            <Text size="sm">{say("replayText")}</Text>
            <TextInput {...momentField} label={say("sinceIn", { zone })} required data-autofocus value={since} onChange={(e) => setSince(e.currentTarget.value)} error={at("since")} />
          </>
        )}
      </Form>
    </Modal>
  );
}
