import { ActionIcon, Badge, Button, Card as Panel, Group, Modal, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import type { Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Copied } from "../../parts/Copied";
import { dateText, moment, momentField } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/policies";
import { policyQuery, type Grant, type PolicyView } from "./data";

// Passwords are those given out for a policy. Each is shown once, when it is made.
export function Passwords({ shop, policy, locked, passport }: { shop: string; policy: PolicyView; locked: boolean; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<Grant | null>(null);
  const zone = passport.store.timezone;
  const refresh = () => queries.invalidateQueries({ queryKey: policyQuery(shop, policy.id).queryKey });
  const nameOf = (g: Grant) => g.label || say("unnamed");
  const revoke = useMutation({
    mutationFn: (g: Grant) => answer(api.DELETE("/access-policies/{id}/passwords/{grant_id}", { params: { path: { id: policy.id, grant_id: g.id } } })),
    onSuccess: () => {
      told(say, say("revoked"));
      setEnding(null);
      void refresh();
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Panel withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say("passwords")}
          </Title>
          {!locked && (
            <Button size="xs" variant="default" leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
              {say("newPassword")}
            </Button>
          )}
        </Group>
        {policy.passwords.length === 0 && <Text size="sm">{say("noPasswords")}</Text>}
        {policy.passwords.map((g) => {
          const over = g.expires_at !== null && Date.parse(g.expires_at) <= Date.now() ? "expired" : g.uses !== null && g.used >= g.uses ? "usedUp" : null;
          return (
            <Group key={g.id} justify="space-between" wrap="nowrap" gap="xs">
              <Stack gap={0} miw={0}>
                <Text size="sm" fw={500} dir="auto">
                  {nameOf(g)}
                </Text>
                <Text size="sm" c="dimmed">
                  {[g.uses === null ? say("entered", { n: g.used }) : say("enteredOf", { n: g.used, all: g.uses }), g.expires_at && say("until", { date: dateText(g.expires_at, zone, language) })].filter(Boolean).join(" · ")}
                </Text>
              </Stack>
              <Group gap="xs" wrap="nowrap">
                {over && (
                  <Badge variant="light" tt="none" color="gray">
                    {say(over)}
                  </Badge>
                )}
                {!locked && (
                  <ActionIcon variant="subtle" color="red" size="lg" aria-label={`${say("remove")}: ${nameOf(g)}`} onClick={() => setEnding(g)}>
                    <IconTrash size={16} />
                  </ActionIcon>
                )}
              </Group>
            </Group>
          );
        })}
      </Stack>
      {making && <NewPassword policy={policy.id} zone={zone} onMade={() => void refresh()} onClose={() => setMaking(false)} />}
      {ending && <Ask title={say("revoke", { name: nameOf(ending) })} text={say("revokeText")} doing={revoke.isPending} onYes={() => revoke.mutate(ending)} onClose={() => setEnding(null)} />}
    </Panel>
  );
}

function NewPassword({ policy, zone, onMade, onClose }: { policy: string; zone: string; onMade: () => void; onClose: () => void }) {
  const { say } = useWords(words);
  const [values, setValues] = useState({ label: "", password: "", expires_at: "", uses: "" });
  const [made, setMade] = useState<Grant | null>(null);
  const field = (name: keyof typeof values) => ({ value: values[name], onChange: (e: { currentTarget: { value: string } }) => setValues({ ...values, [name]: e.currentTarget.value }) });
  return (
    <Modal opened onClose={onClose} title={say("newPassword")} closeButtonProps={{ "aria-label": say("close") }}>
      {made ? (
        <Stack gap="sm">
          <Text size="sm">{say("passwordShown")}</Text>
          <Copied text={made.password ?? ""} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{say("close")}</Button>
          </Group>
        </Stack>
      ) : (
        <Form
          submit={say("newPassword")}
          fields={values}
          onSubmit={async () => {
            const { label, password, expires_at, uses } = values;
            const body = { label, ...(password && { password }), ...(expires_at && { expires_at: moment(expires_at, zone) ?? expires_at }), ...(uses && { uses: count(uses) }) };
            setMade((await answer(api.POST("/access-policies/{id}/passwords", { params: { path: { id: policy } }, body }))).result);
            onMade();
          }}
        >
          {({ at }) => (
            <>
              <TextInput label={say("label")} {...field("label")} error={at("label")} maxLength={255} dir="auto" data-autofocus />
              <TextInput label={say("ownPassword")} description={say("ownPasswordHint")} {...field("password")} error={at("password")} autoComplete="off" dir="ltr" />
              <TextInput label={say("expiresIn", { zone })} description={say("unlimited")} {...momentField} {...field("expires_at")} error={at("expires_at")} />
              <TextInput label={say("uses")} description={say("unlimited")} inputMode="numeric" maxLength={7} {...field("uses")} error={at("uses")} />
            </>
          )}
        </Form>
      )}
    </Modal>
  );
}

// count reads a number of entries, and refuses what is none.
function count(text: string): number {
  const n = Number(text);
  const detail = "1 – 1000000";
  if (!Number.isInteger(n)) throw new Refusal(400, "ACCESS_POLICY_INVALID", detail, [{ code: "ACCESS_POLICY_INVALID", place: "uses", detail }]);
  return n;
}
