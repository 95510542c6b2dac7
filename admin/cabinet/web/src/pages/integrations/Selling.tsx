import { Anchor, Badge, Button, Card, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { Copied } from "../../parts/Copied";
import { dateText } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { AnchorLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { formatMoney } from "../../parts/money";
import { failed, told } from "../../parts/notice";
import { Secret } from "../../parts/Secret";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { sellersQuery, tokensQuery, type SellerToken, type Seller } from "./data";
import { AreaHeading } from "./AreaHeading";

// Selling shows the assistants through which people buy in the shop, their tokens, and the addresses
// to give to another one.
export function Selling() {
  const { shop } = useParams({ from: "/$shop/integrations/selling" });
  const { say } = useWords(words);
  const sellers = useQuery(sellersQuery(shop));
  useShownCall({ method: "GET", path: "/v1/shop/assistants", session: true });
  return (
    <Stack>
      <AreaHeading />
      <Text size="sm" c="dimmed">
        {say("sellingText")}{" "}
        <Anchor href="/docs/assistants" target="_blank" rel="noreferrer" size="sm" underline="always">
          {say("sellingGuide")}
        </Anchor>
      </Text>
      {sellers.isError ? <Failure error={sellers.error} retry={() => void sellers.refetch()} /> : <Sellers shop={shop} />}
      <Tokens shop={shop} />
      <Card withBorder component="section" aria-label={say("addresses")}>
        <Stack gap="xs">
          <Title order={2} size="h4">
            {say("addresses")}
          </Title>
          <Text size="sm">{say("addressesText")}</Text>
          {(["ucp", "mcp", "acp", "acp_api"] as const).map((name) => (
            <Stack key={name} gap={0}>
              <Text size="sm" c="dimmed">
                {say(`at_${name}`)}
              </Text>
              {sellers.data && <Copied text={sellers.data.addresses[name]} />}
            </Stack>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}

function Sellers({ shop }: { shop: string }) {
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(sellersQuery(shop));
  const block = useMutation({
    mutationFn: ({ id, blocked }: { id: string; blocked: boolean }) => answer(api.PUT("/v1/shop/assistants/platforms", { body: { id, blocked } })),
    onSuccess: (_, { blocked }) => told(say, say(blocked ? "nowBlocked" : "nowAllowed")),
    onError: (error) => failed(say, error),
    onSettled: () => list.refetch(),
  });
  const platforms = list.data?.platforms ?? [];
  const zone = passport?.store.timezone ?? "UTC";
  const money = (p: Seller) => formatMoney(Number(p.revenue), list.data?.currency ?? "EUR", passport?.store.price_digits ?? 0, language);
  const seen = (p: Seller) => (p.sessions === "0" ? say("never") : dateText(p.seen_at, zone, language));
  const name = (p: Seller) => (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={500} dir="auto" style={{ overflowWrap: "anywhere" }}>
        {p.name}
      </Text>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {p.protocol.toUpperCase()}
        </Text>
        {p.webhook_id && (
          <AnchorLink to="/$shop/integrations/selling/$id" params={{ shop, id: p.id }} size="sm" aria-label={`${say("journal")}: ${p.name}`}>
            {say("journal")}
          </AnchorLink>
        )}
        {p.blocked && (
          <Badge tt="none" variant="light" color="red">
            {say("blocked")}
          </Badge>
        )}
      </Group>
    </Stack>
  );
  const orders = (p: Seller) =>
    p.orders === "0" ? (
      p.orders
    ) : (
      <AnchorLink to="/$shop/orders" params={{ shop }} search={{ platform: Number(p.id) }} size="sm" underline="always" aria-label={`${say("orders")}: ${p.orders}, ${p.name}`}>
        {p.orders}
      </AnchorLink>
    );
  const act = (p: Seller) => (
    <Switch label={say("maySell")} aria-label={`${say("maySell")}: ${p.name}`} checked={!p.blocked} disabled={block.isPending} onChange={(e) => block.mutate({ id: p.id, blocked: !e.currentTarget.checked })} />
  );
  return (
    <List
      query={list}
      items={platforms}
      total={platforms.length}
      size={platforms.length}
      page={undefined}
      onPage={() => {}}
      nameOf={(p) => p.name}
      empty={say("noSellers")}
      count={say("assistantsCount", { n: platforms.length })}
      columns={[
        { key: "name", label: say("assistant"), cell: name },
        { key: "sessions", label: say("carts"), end: true, cell: (p) => p.sessions },
        { key: "orders", label: say("orders"), end: true, cell: orders },
        { key: "revenue", label: say("revenue"), end: true, cell: (p) => <Unbroken>{money(p)}</Unbroken> },
        { key: "seen", label: say("lastSeen"), cell: (p) => <Unbroken>{seen(p)}</Unbroken> },
        { key: "act", label: say("actions"), end: true, cell: act },
      ]}
      card={(p) => (
        <Card withBorder padding="xs">
          <Stack gap="xs">
            {name(p)}
            <Text size="sm" c="dimmed">
              {say("carts")}: {p.sessions}. {say("orders")}: {orders(p)}, {money(p)}. {say("lastSeen")}: {seen(p)}.
            </Text>
            {act(p)}
          </Stack>
        </Card>
      )}
    />
  );
}

function Tokens({ shop }: { shop: string }) {
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const queries = useQueryClient();
  const list = useQuery(tokensQuery(shop));
  const [made, setMade] = useState<SellerToken>();
  const [asked, ask] = useState<SellerToken>();
  const [name, setName] = useState("");
  const [webhook, setWebhook] = useState("");
  const zone = passport?.store.timezone ?? "UTC";
  const tokens = list.data ?? [];

  async function make() {
    const { result } = await answer(api.POST("/v1/shop/assistants/tokens", { body: { name, webhook_url: webhook } }));
    setMade(result);
    setName("");
    setWebhook("");
    await queries.invalidateQueries({ queryKey: [shop, "sellers"] });
    await list.refetch();
  }
  const revoke = useMutation({
    mutationFn: (token: SellerToken) => answer(api.DELETE("/v1/shop/assistants/tokens/{id}", { params: { path: { id: token.id } } })),
    onSuccess: (_, token) => told(say, say("tokenRevoked", { name: token.name })),
    onError: (error) => failed(say, error),
    onSettled: async () => {
      ask(undefined);
      await list.refetch();
    },
  });
  const act = (t: SellerToken) => (
    <Button variant="light" color="red" size="xs" flex="none" aria-label={`${say("revoke")}: ${t.name}`} onClick={() => ask(t)}>
      {say("revoke")}
    </Button>
  );
  return (
    <Card withBorder component="section" aria-label={say("tokens")}>
      <Stack>
        <Title order={2} size="h4">
          {say("tokens")}
        </Title>
        <Text size="sm">{say("tokensText")}</Text>
        {made ? (
          <Secret
            title={made.name}
            values={[
              { label: say("token"), value: made.token ?? "" },
              { label: say("webhookSecret"), value: made.webhook_secret ?? "" },
            ]}
            onKept={() => setMade(undefined)}
          />
        ) : (
          <Form submit={say("makeToken")} fields={{ name, webhook_url: webhook }} onSubmit={make}>
            {({ at }) => (
              <Group align="flex-start">
                <TextInput label={say("keyName")} required maxLength={100} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" flex="1 1 200px" />
                <TextInput label={say("webhookAddress")} description={say("webhookAddressHint")} inputWrapperOrder={["label", "input", "description", "error"]} maxLength={1024} value={webhook} onChange={(e) => setWebhook(e.currentTarget.value)} error={at("webhook_url")} dir="ltr" flex="1 1 260px" />
              </Group>
            )}
          </Form>
        )}
        {tokens.map((t) => (
          <Group key={t.id} justify="space-between" wrap="nowrap">
            <Stack gap={0} miw={0}>
              <Text size="sm" fw={500} dir="auto" style={{ overflowWrap: "anywhere" }}>
                {t.name}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                {dateText(t.created_at, zone, language)} {t.webhook_url}
              </Text>
            </Stack>
            {act(t)}
          </Group>
        ))}
        {asked && <Ask title={say("revoke") + ": " + asked.name} text={say("revokeTokenText")} yes={say("revoke")} doing={revoke.isPending} onYes={() => revoke.mutate(asked)} onClose={() => ask(undefined)} />}
      </Stack>
    </Card>
  );
}
