import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { ButtonLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { keysQuery, type Key } from "./data";
import { AreaHeading } from "./AreaHeading";
import { Opened } from "./Opened";

// Keys lists the person's own keys for the shop.
export function Keys() {
  const { shop } = useParams({ from: "/$shop/integrations" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(keysQuery(shop));
  const [asked, ask] = useState<Key>();
  useShownCall({ method: "GET", path: "/v1/account/tokens", session: true });

  const revoke = useMutation({
    mutationFn: (key: Key) => answer(api.DELETE("/v1/account/tokens/{id}", { params: { path: { id: key.id } } })),
    onSuccess: (_, key) => told(say, say("revoked", { name: key.name })),
    onError: (error) => failed(say, error),
    onSettled: async () => {
      ask(undefined);
      await list.refetch();
    },
  });

  const zone = passport?.store.timezone ?? "UTC";
  const keys = list.data ?? [];
  const time = (at: string | null, none: string) => (at ? dateText(at, zone, language) : none);
  const ended = (k: Key) => k.expires_at !== null && Date.parse(k.expires_at) <= Date.now();
  const name = (k: Key) => (
    <Group gap="xs">
      <Text size="sm" fw={500} dir="auto">
        {k.name}
      </Text>
      {k.contour === "dev" && (
        <Badge tt="none" variant="light">
          {say("inDraft")}
        </Badge>
      )}
      {ended(k) && (
        <Badge tt="none" variant="light" color="orange">
          {say("expired")}
        </Badge>
      )}
    </Group>
  );
  const act = (k: Key) => (
    <Button variant="light" color="red" size="xs" aria-label={`${say("revoke")}: ${k.name}`} onClick={() => ask(k)}>
      {say("revoke")}
    </Button>
  );
  return (
    <Stack>
      <AreaHeading>
        <ButtonLink to="/$shop/integrations/keys/new" params={{ shop }} leftSection={<IconPlus size={16} />}>
          {say("newKey")}
        </ButtonLink>
      </AreaHeading>
      <Text size="sm" c="dimmed">
        {say("keysText")}
      </Text>
      <List
        query={list}
        items={keys}
        total={keys.length}
        size={keys.length}
        page={undefined}
        onPage={() => {}}
        nameOf={(k) => k.name}
        empty={say("noKeys")}
        count={say("keysCount", { n: keys.length })}
        columns={[
          { key: "name", label: say("keyName"), cell: name },
          { key: "opens", label: say("whatItOpens"), cell: (k) => <Opened name={k.name} scopes={k.scopes} /> },
          { key: "used", label: say("lastUse"), cell: (k) => <Unbroken>{time(k.last_used_at, say("never"))}</Unbroken> },
          { key: "expires", label: say("expires"), cell: (k) => <Unbroken>{time(k.expires_at, say("never"))}</Unbroken> },
          { key: "act", label: say("actions"), end: true, cell: act },
        ]}
        card={(k) => (
          <Card withBorder padding="xs">
            <Stack gap="xs">
              {name(k)}
              <Text size="sm" c="dimmed">
                {say("lastUse")}: {time(k.last_used_at, say("never"))}. {say("expires")}: {time(k.expires_at, say("never"))}.
              </Text>
              <Group gap="xs" justify="space-between">
                <Opened name={k.name} scopes={k.scopes} />
                {act(k)}
              </Group>
            </Stack>
          </Card>
        )}
      />
      {asked && (
        <Ask title={say("revoke") + ": " + asked.name} text={say("revokeText")} yes={say("revoke")} doing={revoke.isPending} onYes={() => revoke.mutate(asked)} onClose={() => ask(undefined)} />
      )}
    </Stack>
  );
}
