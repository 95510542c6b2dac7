import { Badge } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/articles";
import { stateOf, type Article, type State } from "./search";

const colours: Record<State, string | undefined> = { published: undefined, scheduled: "orange", hidden: "gray", deleted: "red" };

export function StateBadge({ article }: { article: Pick<Article, "is_deleted" | "is_published" | "published_at"> }) {
  const { say } = useWords(words);
  const state = stateOf(article);
  return (
    <Badge color={colours[state]} tt="none" variant="light">
      {say(state)}
    </Badge>
  );
}
