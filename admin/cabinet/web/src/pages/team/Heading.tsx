import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/team";

export function Heading({ children }: { children?: ReactNode }) {
  const { say } = useWords(words);
  return (
    <>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {say("team")}
        </Title>
        {children}
      </Group>
      <Subpages
        label={say("team")}
        pages={[
          { to: "/$shop/team", label: say("members") },
          { to: "/$shop/team/audit", label: say("audit") },
        ]}
      />
    </>
  );
}
