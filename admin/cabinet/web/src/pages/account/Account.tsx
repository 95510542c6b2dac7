import { Button, Container, Group, Stack, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { CallButton } from "../../frame/Call";
import { meQuery } from "../../frame/session";
import { useSignOut } from "../../frame/useSignOut";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { App } from "./App";
import { Leave } from "./Leave";
import { Own } from "./Own";
import { Passkeys } from "./Passkeys";
import { Email, Password, Profile } from "./Profile";
import { Sessions } from "./Sessions";

// Account is what belongs to the person, whatever the shop.
export function Account() {
  const { say } = useWords(words);
  const { data: me } = useQuery(meQuery);
  const signOut = useSignOut();
  if (!me) return null;
  return (
    <Container component="main" size="sm" py="lg">
      <Stack>
        <AnchorLink to="/" size="sm" c="dimmed">
          <Group gap={4}>
            <IconArrowLeft size={14} /> {say("chooseShop")}
          </Group>
        </AnchorLink>
        <Group justify="space-between">
          <Title order={1} size="h2">
            {say("account")}
          </Title>
          <Group gap="xs">
            <CallButton />
            <Button variant="default" onClick={() => void signOut()}>
              {say("signOut")}
            </Button>
          </Group>
        </Group>
        <Profile key={me.updated_at} me={me} />
        <Email me={me} />
        <Password />
        <App factors={me.second_factor} />
        <Passkeys />
        <Sessions />
        <Leave me={me.id} />
        <Own />
      </Stack>
    </Container>
  );
}
