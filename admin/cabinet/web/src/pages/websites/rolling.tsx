import { Badge } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { websiteKey } from "./data";
import { calls, type Kind, type ReleaseRow } from "./kinds";

export function ReleaseState({ release }: { release: Pick<ReleaseRow, "active" | "was_live" | "published_at"> }) {
  const { say } = useWords(words);
  const [word, colour] = release.active ? (["live", "teal"] as const) : release.was_live ? (["wasLive", "blue"] as const) : (["neverLive", "gray"] as const);
  return (
    <Badge tt="none" variant="light" color={colour}>
      {say(word)}
    </Badge>
  );
}

// useRollBack makes an earlier release live, and offers to take that back.
export function useRollBack(shop: string, kind: Kind, id: string, active: string) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: websiteKey(shop, kind, id) });
  return useMutation({
    mutationFn: async (release: string) => {
      const before = active; // the refresh changes it
      await calls[kind].rollBack(id, release);
      await refresh();
      return before;
    },
    onSuccess: (before, release) => told(say, say("rolledBack", { id: release }), before === "0" ? undefined : () => calls[kind].rollBack(id, before).then(refresh)),
    onError: (error) => failed(say, error),
  });
}
