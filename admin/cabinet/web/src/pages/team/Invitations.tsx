import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import type { Role } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { above, invite, type Invitation, type Member } from "./data";

// Invitations are those that nobody has accepted yet.
export function Invitations({
  invitations,
  members,
  manager,
  own,
  zone,
  refresh,
}: {
  invitations: Invitation[];
  members: Member[];
  manager: boolean;
  own: Role;
  zone: string;
  refresh: () => Promise<unknown>;
}) {
  const { say, language } = useWords(words);
  const [asked, ask] = useState<Invitation>();
  const options = { onError: (error: unknown) => failed(say, error), onSettled: refresh };
  const again = useMutation({
    mutationFn: ({ email, role }: Invitation) => invite({ email, role }),
    onSuccess: (_, { email }) => told(say, say("invited", { email })),
    ...options,
  });
  const withdraw = useMutation({
    mutationFn: ({ id }: Invitation) => answer(api.DELETE("/v1/orgs/current/invitations/{id}", { params: { path: { id } } })),
    onSuccess: (_, { email }) => told(say, say("withdrawn", { email })),
    ...options,
    onSettled: async () => {
      ask(undefined);
      await refresh();
    },
  });
  if (invitations.length === 0) return null;
  const by = (id: number) => members.find((m) => m.user_id === id)?.name || members.find((m) => m.user_id === id)?.email || "";
  return (
    <Card withBorder component="section" aria-label={say("invitations")}>
      <Title order={2} size="h4" mb="sm">
        {say("invitations")}
      </Title>
      <Stack gap="sm">
        {invitations.map((i) => (
          <Group key={i.id} justify="space-between" gap="xs">
            <Stack gap={0} miw={0}>
              <Text size="sm" fw={500} dir="auto">
                {i.email}
              </Text>
              <Text size="sm" c="dimmed" dir="auto">
                {[say(i.role), by(i.invited_by), say("validUntil", { date: dateText(i.expires_at, zone, language) })].filter(Boolean).join(" · ")}
              </Text>
            </Stack>
            {manager && !above(i.role, own) && (
              <Group gap="xs">
                <Button size="xs" variant="default" loading={again.isPending && again.variables.id === i.id} aria-label={`${say("sendAgain")}: ${i.email}`} onClick={() => again.mutate(i)}>
                  {say("sendAgain")}
                </Button>
                <Button size="xs" variant="light" color="red" aria-label={`${say("withdraw")}: ${i.email}`} onClick={() => ask(i)}>
                  {say("withdraw")}
                </Button>
              </Group>
            )}
          </Group>
        ))}
      </Stack>
      {asked && (
        <Ask
          title={say("withdraw") + ": " + asked.email}
          text={say("withdrawText")}
          yes={say("withdraw")}
          doing={withdraw.isPending}
          onYes={() => withdraw.mutate(asked)}
          onClose={() => ask(undefined)}
        />
      )}
    </Card>
  );
}
