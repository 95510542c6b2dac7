import { Anchor, Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Copied } from "../../parts/Copied";
import { dateText } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { grantsQuery, type Grant } from "./data";
import { AreaHeading } from "./AreaHeading";
import { Opened } from "./Opened";

// Assistants are the programs that the person lets act for them, and how to connect another one.
export function Assistants() {
  const { shop } = useParams({ from: "/$shop/integrations/assistants" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(grantsQuery);
  const [asked, ask] = useState<Grant>();
  useShownCall({ method: "GET", path: "/v1/account/grants", session: true });

  const end = useMutation({
    mutationFn: (grant: Grant) => answer(api.DELETE("/v1/account/grants/{id}", { params: { path: { id: grant.id } } })),
    onSuccess: (_, grant) => told(say, say("accessEnded", { name: grant.client })),
    onError: (error) => failed(say, error),
    onSettled: async () => {
      ask(undefined);
      await list.refetch();
    },
  });

  const zone = passport?.store.timezone ?? "UTC";
  const grants = list.data ?? [];
  const time = (at: string | null) => (at ? dateText(at, zone, language) : say("never"));
  const name = (g: Grant) => (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={500} dir="auto">
        {g.client}
      </Text>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {g.slug}
        </Text>
        <Badge tt="none" variant="light" color={g.contour === "dev" ? undefined : "orange"}>
          {say(g.contour === "dev" ? "draft" : "live")}
        </Badge>
      </Group>
    </Stack>
  );
  const act = (g: Grant) => (
    <Button variant="light" color="red" size="xs" aria-label={`${say("endAccess")}: ${g.client}`} onClick={() => ask(g)}>
      {say("endAccess")}
    </Button>
  );
  return (
    <Stack>
      <AreaHeading />
      <Text size="sm" c="dimmed">
        {say("assistantsText")}
      </Text>
      <List
        query={list}
        items={grants}
        total={grants.length}
        size={grants.length}
        page={undefined}
        onPage={() => {}}
        nameOf={(g) => g.client}
        empty={say("noAssistants")}
        count={say("assistantsCount", { n: grants.length })}
        columns={[
          { key: "name", label: say("assistant"), cell: name },
          { key: "opens", label: say("whatItOpens"), cell: (g) => <Opened name={g.client} scopes={g.scopes} /> },
          { key: "made", label: say("connected"), cell: (g) => <Unbroken>{time(g.created_at)}</Unbroken> },
          { key: "used", label: say("lastUse"), cell: (g) => <Unbroken>{time(g.last_used_at)}</Unbroken> },
          { key: "expires", label: say("endsUnused"), cell: (g) => <Unbroken>{time(g.expires_at)}</Unbroken> },
          { key: "act", label: say("actions"), end: true, cell: act },
        ]}
        card={(g) => (
          <Card withBorder padding="xs">
            <Stack gap="xs">
              {name(g)}
              <Text size="sm" c="dimmed">
                {say("connected")}: {time(g.created_at)}. {say("lastUse")}: {time(g.last_used_at)}.
              </Text>
              <Group gap="xs" justify="space-between">
                <Opened name={g.client} scopes={g.scopes} />
                {act(g)}
              </Group>
            </Stack>
          </Card>
        )}
      />
      <Connect shop={shop} />
      {asked && (
        <Ask title={say("endAccess") + ": " + asked.client} text={say("endAccessText")} yes={say("endAccess")} doing={end.isPending} onYes={() => end.mutate(asked)} onClose={() => ask(undefined)} />
      )}
    </Stack>
  );
}

function Connect({ shop }: { shop: string }) {
  const { say } = useWords(words);
  const address = location.origin + "/mcp";
  const config = JSON.stringify({ mcpServers: { [shop]: { type: "http", url: address, headers: { Authorization: "Bearer <API_KEY>" } } } }, null, 2);
  return (
    <Card withBorder component="section" aria-label={say("connect")}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say("connect")}
        </Title>
        <Text size="sm">{say("connectText")}</Text>
        <Copied text={address} />
        <Text size="sm">
          {say("connectKeyText")}{" "}
          <AnchorLink to="/$shop/integrations/keys/new" params={{ shop }} size="sm" underline="always">
            {say("newKey")}
          </AnchorLink>
        </Text>
        <Copied label={say("configuration")} text={config} />
        <Anchor href="/docs/agents" target="_blank" rel="noreferrer" size="sm">
          {say("agentsGuide")}
        </Anchor>
      </Stack>
    </Card>
  );
}
