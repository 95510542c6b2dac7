import { Button, Card, Container, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { answer, api } from "../api/client";
import { ButtonLink, CardLink } from "../parts/links";
import { useWords } from "../words";
import { Failure } from "./Failure";
import { shopsQuery, type Role } from "./session";
import { useSignOut } from "./useSignOut";

const OpenShop = lazy(() => import("./OpenShop"));

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
  const { job } = useSearch({ from: "/" });
  const [opening, setOpening] = useState(location.hash === "#open" || job !== undefined);
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
          <Suspense fallback={<Skeleton h={320} />}>
            <OpenShop begun={job !== undefined} />
          </Suspense>
        ) : (
          <Button variant="light" onClick={() => setOpening(true)}>
            {say("openShop")}
          </Button>
        )}
      </Stack>
    </Container>
  );
}
