import { Group, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { ButtonLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/attributes";

// Heading is that of the list of attributes or groups, with the way to the other one.
export function Heading({ shop, groups, writes }: { shop: string; groups: boolean; writes: boolean }) {
  const { say } = useWords(words);
  return (
    <Group justify="space-between">
      <Title order={1} size="h2">
        {say(groups ? "groups" : "attributes")}
      </Title>
      <Group gap="xs">
        <ButtonLink to={groups ? "/$shop/attributes" : "/$shop/groups"} params={{ shop }} variant="default">
          {say(groups ? "attributes" : "groups")}
        </ButtonLink>
        {writes && (
          <ButtonLink to={groups ? "/$shop/groups/$id" : "/$shop/attributes/$id"} params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say(groups ? "newGroup" : "newAttribute")}
          </ButtonLink>
        )}
      </Group>
    </Group>
  );
}
