import { Button, Card, Group, Select, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { PageLink, type PageRef } from "./PageLink";

const entities = ["product", "category", "article"] as const;
type Entity = (typeof entities)[number];

// Journal finds what had an address before it was renamed.
export function Journal({ shop }: { shop: string }) {
  const { say } = useWords(words);
  const [entity, setEntity] = useState<Entity>("product");
  const [slug, setSlug] = useState("");
  const owner = useMutation({
    mutationFn: async (query: { entity_type: Entity; slug: string }) => {
      try {
        return await answer(api.GET("/slug-redirects/resolve", { params: { query } }));
      } catch (error) {
        if (error instanceof Refusal && error.code === "REDIRECT_NOT_FOUND") return null;
        throw error;
      }
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Card withBorder component="section" maw={720}>
      <Title order={2} size="h4">
        {say("journalTitle")}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {say("journalText")}
      </Text>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          owner.mutate({ entity_type: entity, slug: slug.trim().replace(/^.*\//, "") });
        }}
      >
        <Group align="flex-end" gap="xs">
          <Select label={say("what")} data={entities.map((value) => ({ value, label: say(`kind_${value}`) }))} value={entity} allowDeselect={false} onChange={(v) => setEntity(v as Entity)} w={160} />
          <TextInput label={say("formerSlug")} required maxLength={255} dir="ltr" autoCapitalize="none" spellCheck={false} value={slug} onChange={(e) => setSlug(e.currentTarget.value)} flex="1 1 200px" />
          <Button type="submit" variant="default" loading={owner.isPending}>
            {say("find")}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {owner.data === null && (
          <Text size="sm" mt="sm">
            {say("journalNobody")}
          </Text>
        )}
        {owner.data && (
          <Group gap="xs" mt="sm">
            <PageLink shop={shop} page={{ entity: owner.data.entity_type as PageRef["entity"], id: owner.data.entity_id }} />
            <Text size="sm" dir="auto">
              {say("journalFound", { slug: owner.data.current_slug })}
            </Text>
          </Group>
        )}
      </div>
    </Card>
  );
}
