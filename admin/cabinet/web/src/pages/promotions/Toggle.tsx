import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/promotions";

interface Switched {
  id: string;
  name: string;
  active: boolean;
}

// Toggle switches a promotion or a quantity price of a list on or off at once.
export function Toggle({ item, list, call }: { item: Switched; list: string[]; call: (id: string, active: boolean) => Promise<Switched> }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  async function write(active: boolean) {
    const saved = await call(item.id, active);
    await queries.invalidateQueries({ queryKey: list });
    return saved;
  }
  const toggle = useMutation({
    mutationFn: write,
    onSuccess: (saved) => told(say, say(saved.active ? "activated" : "deactivated", { name: saved.name }), () => write(!saved.active)),
    onError: (error) => failed(say, error),
  });
  const text = say(item.active ? "deactivate" : "activate");
  return (
    <Button size="compact-sm" variant="default" aria-label={`${text}: ${item.name}`} loading={toggle.isPending} onClick={() => toggle.mutate(!item.active)}>
      {text}
    </Button>
  );
}
