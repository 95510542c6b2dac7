import { Group } from "@mantine/core";
import { type LinkProps, useParams } from "@tanstack/react-router";
import { ButtonLink } from "./links";

// Subpages lead to the pages of an area.
export function Subpages({ label, pages }: { label: string; pages: { to: LinkProps["to"] & `/$shop/${string}`; label: string }[] }) {
  const { shop } = useParams({ from: "/$shop" });
  return (
    <Group component="nav" gap={4} aria-label={label}>
      {pages.map((p) => (
        <ButtonLink key={p.to} size="compact-sm" variant="subtle" to={p.to} params={{ shop }} activeOptions={{ exact: true, includeSearch: false }} activeProps={{ variant: "light" }}>
          {p.label}
        </ButtonLink>
      ))}
    </Group>
  );
}
