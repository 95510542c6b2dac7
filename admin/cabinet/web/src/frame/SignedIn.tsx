import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { useWords } from "../words";
import { Failure } from "./Failure";
import { meQuery } from "./session";
import { Welcome } from "./Welcome";

// SignedIn shows its children to people with a session, and everybody else the form to sign in.
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery);
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
  return <Welcome />;
}
