import { Card, Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

// Panel is a part of the page of an order.
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title} style={{ overflow: "visible" }}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Card>
  );
}
