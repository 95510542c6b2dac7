import { Badge } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import type { State } from "./search";

const colours: Record<State, string | undefined> = { running: undefined, planned: "orange", ended: "gray", usedUp: "gray", off: "gray" };

export function StateBadge({ state }: { state: State }) {
  const { say } = useWords(words);
  return (
    <Badge color={colours[state]} tt="none" variant="light" miw="max-content">
      {say(`state_${state}`)}
    </Badge>
  );
}
