import { IconPlus } from "@tabler/icons-react";
import { Heading } from "../../parts/Heading";
import { ButtonLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/attributes";

// ListHeading is that of the list of attributes or groups, with the way to the other one.
export function ListHeading({ shop, groups, writes }: { shop: string; groups: boolean; writes: boolean }) {
  const { say } = useWords(words);
  return (
    <Heading title={say(groups ? "groups" : "attributes")}>
      <ButtonLink to={groups ? "/$shop/attributes" : "/$shop/groups"} params={{ shop }} variant="default">
        {say(groups ? "attributes" : "groups")}
      </ButtonLink>
      {writes && (
        <ButtonLink to={groups ? "/$shop/groups/$id" : "/$shop/attributes/$id"} params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
          {say(groups ? "newGroup" : "newAttribute")}
        </ButtonLink>
      )}
    </Heading>
  );
}
