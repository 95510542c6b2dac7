import { Group, Stack, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";

// Heading is that of a page of the settings, with the way back to all of them, or to its list.
export function Heading({ title, list, children }: { title: string; list?: { to: "/$shop/settings/delivery" | "/$shop/settings/payments"; label: string }; children?: ReactNode }) {
  const { shop } = useParams({ from: "/$shop" });
  const { say } = useWords();
  return (
    <Stack gap={4}>
      <AnchorLink to={list?.to ?? "/$shop/settings"} params={{ shop }} size="sm" c="dimmed">
        <Group gap={4}>
          <IconArrowLeft size={14} /> {list?.label ?? say("settings")}
        </Group>
      </AnchorLink>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2" dir="auto" maw="100%">
          {title}
        </Title>
        {children}
      </Group>
    </Stack>
  );
}
