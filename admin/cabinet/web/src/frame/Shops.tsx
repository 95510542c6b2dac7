import { Button, Card, Container, Group, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../api/client";
import { Form } from "../parts/Form";
import { ButtonLink, CardLink } from "../parts/links";
import { useWords } from "../words";
import { Failure } from "./Failure";
import { shopsQuery, type Role } from "./session";
import { useSignOut } from "./useSignOut";

export function roleWord(role: string): Exclude<Role, ""> {
  return role === "owner" || role === "admin" ? role : "editor";
}

// Shops lists the person's shops. Whoever has one goes straight into it, unless they came to open
// another one.
export function Shops() {
  const { say, language } = useWords();
  const shops = useQuery(shopsQuery);
  const queries = useQueryClient();
  const signOut = useSignOut();
  const [opening, setOpening] = useState(location.hash === "#open");
  if (shops.isPending) return null;
  if (shops.isError) return <Failure error={shops.error} retry={() => void shops.refetch()} />;
  const only = shops.data.length === 1 && !shops.data[0]?.restorable_until ? shops.data[0] : undefined;
  if (only && !opening) return <Navigate to="/$shop/start" params={{ shop: only.slug }} replace />;
  const date = (text: string) => new Date(text).toLocaleDateString(language, { dateStyle: "long" });
  return (
    <Container component="main" size="sm" py="xl">
      <Stack>
        <Group justify="space-between">
          <Title order={1} size="h2">
            {say("chooseShop")}
          </Title>
          <Group gap="xs">
            <ButtonLink variant="default" to="/account">
              {say("account")}
            </ButtonLink>
            <Button variant="default" onClick={() => void signOut()}>
              {say("signOut")}
            </Button>
          </Group>
        </Group>
        {shops.data.length === 0 && <Text>{say("noShops")}</Text>}
        {shops.data.map((s) =>
          s.restorable_until ? (
            <Card key={s.id} withBorder>
              <Text dir="auto">{s.name}</Text>
              <Group justify="space-between">
                <Text size="sm" c="dimmed">
                  {say("deletedShop", { date: date(s.restorable_until) })}
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() =>
                    void answer(api.POST("/v1/shop/restore", { params: { header: { "X-Vitrine-Shop": s.slug } } })).then(() => queries.invalidateQueries({ queryKey: shopsQuery.queryKey }))
                  }
                >
                  {say("restore")}
                </Button>
              </Group>
            </Card>
          ) : (
            <CardLink key={s.id} withBorder to="/$shop/start" params={{ shop: s.slug }}>
              <Text fw={600} dir="auto">
                {s.name}
              </Text>
              <Text size="sm" c="dimmed">
                {s.slug} · {say(roleWord(s.role))}
              </Text>
            </CardLink>
          ),
        )}
        {opening || shops.data.length === 0 ? (
          <NewShop />
        ) : (
          <Button variant="light" onClick={() => setOpening(true)}>
            {say("openShop")}
          </Button>
        )}
      </Stack>
    </Container>
  );
}

// slugOf proposes an address for a name.
export function slugOf(name: string): string {
  const latin = name.normalize("NFKD").toLowerCase();
  return latin.replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 63);
}

function NewShop() {
  const { say } = useWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | null>(null); // null: from the name
  const [currency, setCurrency] = useState("EUR");
  const [cents, setCents] = useState(true);
  const address = slug ?? slugOf(name);
  async function open() {
    const { result } = await answer(api.POST("/v1/orgs", { body: { name, slug: address, currency, price_digits: cents ? 2 : 0 } }));
    await queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
    await navigate({ to: "/$shop/start", params: { shop: result.slug } });
  }
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        {say("openShop")}
      </Title>
      <Form submit={say("openShop")} places={["name", "slug", "currency"]} onSubmit={open}>
        {({ at }) => (
          <>
            <TextInput label={say("shopName")} name="shop-name" required maxLength={255} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" />
            <TextInput label={say("shopSlug")} description={say("shopSlugHint")} name="shop-slug" required maxLength={63} value={address} onChange={(e) => setSlug(e.currentTarget.value)} error={at("slug")} />
            <TextInput label={say("currency")} name="shop-currency" required maxLength={3} value={currency} onChange={(e) => setCurrency(e.currentTarget.value.toUpperCase())} error={at("currency")} />
            <Switch
              label={say("cents")}
              description={`${cents ? "14.50" : "14"} ${currency}. ${say("centsHint")}`}
              checked={cents}
              onChange={(e) => setCents(e.currentTarget.checked)}
            />
          </>
        )}
      </Form>
    </Card>
  );
}
