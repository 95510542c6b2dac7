import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { failed, told } from "../../parts/notice";
import { patiently } from "../../parts/uploads";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/articles";
import { saveArticle, type ItemInput } from "./data";
import type { Article } from "./search";

type Flag = "is_published" | "is_deleted";

const actions: { word: WordOf<typeof words>; flag: Flag; value: boolean }[] = [
  { word: "publish", flag: "is_published", value: true },
  { word: "unpublish", flag: "is_published", value: false },
  { word: "remove", flag: "is_deleted", value: true },
  { word: "restore", flag: "is_deleted", value: false },
];

// BulkBar edits the selected articles, one call for each: it says how many will change, and then
// changes them as they were listed, so that nothing is lost that somebody saved meanwhile.
export function BulkBar({ shop, selected, deleted, onDone }: { shop: string; selected: Article[]; deleted: boolean; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<(typeof actions)[number] | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "articles"] });
  const changing = chosen ? selected.filter((a) => a[chosen.flag] !== chosen.value) : [];

  async function change(list: Article[], item: ItemInput) {
    const changed: Article[] = [];
    for (const a of list) {
      try {
        changed.push((await patiently(() => saveArticle(a.id, item, a.updated_at))).result);
      } catch (error) {
        failed(say, error, a.title);
      }
    }
    await refresh();
    return changed;
  }

  const run = useMutation({
    mutationFn: ({ list, flag, value }: { list: Article[]; flag: Flag; value: boolean }) => change(list, { [flag]: value }),
    onSuccess: (changed, { flag, value }) => {
      setChosen(null);
      onDone();
      if (changed.length > 0) told(say, say("saved") + " · " + say("articlesCount", { n: changed.length }), () => change(changed, { [flag]: !value }));
    },
  });

  return (
    <div className="save-bar" role="region" aria-label={say("actions")}>
      <Group justify="space-between">
        <Text size="sm">{say("selected", { n: selected.length })}</Text>
        <Group gap="xs">
          {actions
            .filter((a) => (a.word === "restore") === deleted)
            .map((a) => (
              <Button key={a.word} size="sm" variant={a.word === "remove" ? "light" : "default"} color={a.word === "remove" ? "red" : undefined} onClick={() => setChosen(a)}>
                {say(a.word)}
              </Button>
            ))}
        </Group>
      </Group>
      <Modal opened={chosen !== null} onClose={() => setChosen(null)} title={chosen ? say(chosen.word) : ""} closeButtonProps={{ "aria-label": say("close") }}>
        <Stack>
          <Text>{say("willChange", { n: changing.length })}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setChosen(null)}>
              {say("cancel")}
            </Button>
            <Button data-autofocus disabled={changing.length === 0} loading={run.isPending} onClick={() => chosen && run.mutate({ list: changing, ...chosen })}>
              {say("doIt")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </div>
  );
}
