import { Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { IconArrowLeft, IconExternalLink, IconEye, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { answer, api, currentShop } from "../api/client";
import { useWords } from "../words";
import { AnchorLink } from "./links";
import { failed } from "./notice";

// Heading is the head of a page: the way back to its list, the title with its state, and what can
// be done with the object.
export function Heading({
  back,
  title,
  state,
  children,
}: {
  back?: { to: LinkProps["to"] & `/$shop/${string}`; label: string };
  title: string;
  state?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <>
      {back && (
        <AnchorLink to={back.to} params={{ shop: currentShop() }} size="sm" c="dimmed">
          <Group gap={4}>
            <IconArrowLeft size={14} /> {back.label}
          </Group>
        </AnchorLink>
      )}
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} align="flex-start" maw="100%">
          <Title order={1} size="h2" dir="auto" maw="100%">
            {title}
          </Title>
          {state}
        </Stack>
        {children && <Group gap="xs">{children}</Group>}
      </Group>
    </>
  );
}

export function RemoveButton(props: { loading?: boolean; disabled?: boolean; onClick: () => void }) {
  const { say } = useWords();
  return (
    <Button variant="subtle" color="red" leftSection={<IconTrash size={16} />} {...props}>
      {say("remove")}
    </Button>
  );
}

// ShopLink opens the address of an object in the shop.
export function ShopLink({ href }: { href: string }) {
  const { say } = useWords();
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" size="sm">
      <Group gap={4}>
        {say("view")} <IconExternalLink size={14} />
      </Group>
    </Anchor>
  );
}

// PreviewButton shows an object as it is in the draft, also while it is not published.
export function PreviewButton({ of, id }: { of: "product" | "article" | "category"; id: number }) {
  const { say } = useWords();
  const preview = useMutation({
    mutationFn: () => answer(api.POST("/drafts/preview", {})),
    onSuccess: ({ result }) => window.open(`${result.url}?path=${encodeURIComponent(`/${of}/${id}`)}`, "_blank", "noreferrer"),
    onError: (error) => failed(say, error),
  });
  return (
    <Button variant="subtle" leftSection={<IconEye size={16} />} loading={preview.isPending} onClick={() => preview.mutate()}>
      {say("preview")}
    </Button>
  );
}
