import { Button, List, Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { scopesQuery, type Key } from "./data";
import { useScopeText } from "./scopes";

// Opened says what the scopes of a key or an assistant open.
export function Opened({ name, scopes }: { name: string; scopes: Key["scopes"] }) {
  const { say } = useWords(words);
  const { data: all } = useQuery(scopesQuery);
  const textOf = useScopeText();
  const [opened, open] = useState(false);
  const count = all && scopes.length === all.length ? say("everything") : say("rightsCount", { n: scopes.length });
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${count}: ${name}`} onClick={() => open(true)}>
        {count}
      </Button>
      <Modal opened={opened} onClose={() => open(false)} title={<span dir="auto">{say("whatItOpens") + ": " + name}</span>} closeButtonProps={{ "aria-label": say("close") }}>
        <List size="sm" spacing={4} pe="md">
          {scopes.map((scope) => (
            <List.Item key={scope}>
              {textOf(scope)}{" "}
              <Text span size="xs" c="dimmed">
                {scope}
              </Text>
            </List.Item>
          ))}
        </List>
      </Modal>
    </>
  );
}
