import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/integrations";

export function Heading({ children }: { children?: ReactNode }) {
  const { say } = useWords(words);
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {say("integrations")}
        </Title>
        {children}
      </Group>
      <Subpages
        label={say("integrations")}
        pages={[
          { to: "/$shop/integrations", label: say("keys") },
          { to: "/$shop/integrations/assistants", label: say("assistants") },
          { to: "/$shop/integrations/webhooks", label: say("webhooks") },
          { to: "/$shop/integrations/events", label: say("events") },
        ]}
      />
    </>
  );
}
