import { Center, Loader, Paper, Stack, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { useWords } from "../words";
import { Failure } from "./Failure";
import { meQuery } from "./session";
import { SignInForm } from "./SignInForm";

// SignedIn shows its children to people with a session, and everybody else the form to sign in.
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery);
  const queries = useQueryClient();
  const { say, choose } = useWords();
  const saved = me.data?.language;
  useEffect(() => {
    if (saved === "en" || saved === "ru") choose(saved);
    // The choice of the account is taken once per sign-in.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [saved]);
  if (me.isPending) {
    return (
      <Center h="100dvh">
        <Loader aria-label={say("loading")} />
      </Center>
    );
  }
  if (me.isError) return <Failure error={me.error} retry={() => void me.refetch()} />;
  if (me.data) return children;
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w={400} maw="100%">
        <Stack>
          <Title order={1} size="h2">
            {say("signIn")}
          </Title>
          <SignInForm onDone={() => queries.invalidateQueries()} />
        </Stack>
      </Paper>
    </Center>
  );
}
