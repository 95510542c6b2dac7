import { Alert, Button, Center, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api, Refusal, type Schemas } from "../../api/client";
import { explained, Failure } from "../../frame/Failure";
import { enter, meQuery, shopsQuery } from "../../frame/session";
import { roleWord } from "../../frame/Shops";
import { SignInForm } from "../../frame/SignInForm";
import { useSignOut } from "../../frame/useSignOut";
import { Form } from "../../parts/Form";
import { ButtonLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { NewPassword } from "./NewPassword";
import { PersonName } from "./PersonName";

type Offer = Schemas["AccessJoined"];

const isFor = (offer: Offer, email: string | undefined) => email?.toLowerCase() === offer.email.toLowerCase();

// Invitation is where the letter of an invitation leads. Its code is behind the "#" of the address,
// which the server does not see.
export function Invitation() {
  const { say } = useWords(words);
  const code = useLocation({ select: (l) => l.hash });
  const me = useQuery(meQuery);
  const offer = useQuery({
    queryKey: ["invitation", code],
    queryFn: async () => (await answer(api.POST("/v1/auth/invitations/accept", { body: { code, dry_run: true } }))).result,
    staleTime: Infinity,
  });
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w={440} maw="100%">
        <Stack>
          <Title order={1} size="h2" dir="auto">
            {offer.data ? say("invitationTo", { shop: offer.data.name }) : say("invitation")}
          </Title>
          {offer.isError ? (
            <>
              <Failure error={offer.error} retry={offer.error instanceof Refusal && offer.error.status === 404 ? undefined : () => void offer.refetch()} />
              <ButtonLink variant="default" to="/">
                {say("toCabinet")}
              </ButtonLink>
            </>
          ) : offer.data && !me.isPending ? (
            <>
              <Text>{say("invitationText", { email: offer.data.email, role: say(roleWord(offer.data.role)) })}</Text>
              <Accept code={code} offer={offer.data} email={me.data?.email} />
            </>
          ) : (
            <Skeleton h={160} />
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

// Accept asks for what is needed to join: a click, a sign-in, or a new password.
function Accept({ code, offer, email }: { code: string; offer: Offer; email: string | undefined }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");

  async function open() {
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    await queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
    await navigate({ to: "/$shop/start", params: { shop: offer.slug }, replace: true });
  }

  const join = useMutation({
    mutationFn: () => answer(api.POST("/v1/auth/invitations/accept", { body: { code } })),
    onSuccess: open,
  });

  // A passkey may have signed in somebody else.
  async function signedIn() {
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    if (isFor(offer, queries.getQueryData(meQuery.queryKey)?.email)) join.mutate();
  }

  async function register() {
    await answer(api.POST("/v1/auth/logout", {})); // the cookie of a session that has ended would be refused
    await answer(api.POST("/v1/auth/invitations/accept", { body: { code, name, password } }));
    await answer(api.POST("/v1/auth/login", { body: { email: offer.email, password, cookie: true } }));
    await enter(queries, () => void open());
  }

  if (isFor(offer, email))
    return (
      <>
        {join.isError && (
          <Alert role="alert" color="red" variant="light">
            {explained(join.error, say)}
          </Alert>
        )}
        <Button loading={join.isPending} onClick={() => join.mutate()}>
          {say("join")}
        </Button>
      </>
    );
  if (email !== undefined)
    return (
      <>
        <Alert variant="light" color="orange">
          {say("otherAccount", { email })}
        </Alert>
        <Button onClick={() => void signOut()}>{say("signOutToJoin")}</Button>
        <ButtonLink variant="default" to="/">
          {say("toCabinet")}
        </ButtonLink>
      </>
    );
  if (offer.user_id !== 0)
    return (
      <>
        <Text size="sm">{say("signInToJoin")}</Text>
        <SignInForm email={offer.email} onDone={() => void signedIn()} />
      </>
    );
  return (
    <Form wide submit={say("registerAndJoin")} fields={{ name, password }} onSubmit={register}>
      {({ at }) => (
        <>
          <Text size="sm">{say("registerToJoin")}</Text>
          <input type="email" name="email" autoComplete="username" value={offer.email} readOnly hidden />
          <PersonName value={name} onChange={setName} error={at("name")} />
          <NewPassword label={say("password")} value={password} onChange={setPassword} error={at("password")} />
        </>
      )}
    </Form>
  );
}
