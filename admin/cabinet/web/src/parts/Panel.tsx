import { Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

// Panel is a group of fields, or of facts, with its title.
export function Panel({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" style={{ overflow: "visible" }}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {text && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
