import { Anchor, Center, Group, Paper, Skeleton, Stack, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { AnchorLink } from "../parts/links";
import { useWords } from "../words";
import { SignInForm } from "./SignInForm";

const Register = lazy(() => import("../pages/account/Register"));
const Forgot = lazy(() => import("../pages/account/Forgot"));

const ways = { register: "createAccount", forgot: "forgotPassword", "": "haveAccount" } as const;

// Welcome is for people without a session, at whatever page they came to.
export function Welcome() {
  const { say, language, choose } = useWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const hash = useLocation({ select: (l) => l.hash });
  const way = hash === "register" || hash === "forgot" ? hash : "";
  async function done() {
    await navigate({ to: ".", hash: "", search: true, replace: true });
    await queries.invalidateQueries();
  }
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w={400} maw="100%">
        <Paper withBorder p="xl">
          <Stack>
            <Title order={1} size="h2">
              {say(way ? ways[way] : "signIn")}
            </Title>
            <Suspense fallback={<Skeleton h={240} />}>
              {way === "register" ? <Register onDone={() => void done()} /> : way === "forgot" ? <Forgot onDone={() => void done()} /> : <SignInForm onDone={() => void done()} />}
            </Suspense>
          </Stack>
        </Paper>
        <Group justify="space-between">
          {(Object.keys(ways) as (keyof typeof ways)[]).map(
            (w) =>
              w !== way && (
                <AnchorLink key={w} to="." hash={w} size="sm">
                  {say(ways[w])}
                </AnchorLink>
              ),
          )}
          <Anchor component="button" size="sm" lang={language === "ru" ? "en" : "ru"} onClick={() => choose(language === "ru" ? "en" : "ru")}>
            {language === "ru" ? "English" : "Русский"}
          </Anchor>
        </Group>
      </Stack>
    </Center>
  );
}
