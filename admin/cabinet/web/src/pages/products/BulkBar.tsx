import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../../frame/Failure";
import { failed, told } from "../../parts/notice";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/products";
import { changeMany, type ItemInput } from "./data";

const actions: { word: WordOf<typeof words>; item: ItemInput; back: ItemInput }[] = [
  { word: "publish", item: { is_published: true }, back: { is_published: false } },
  { word: "unpublish", item: { is_published: false }, back: { is_published: true } },
  { word: "remove", item: { is_deleted: true }, back: { is_deleted: false } },
  { word: "restore", item: { is_deleted: false }, back: { is_deleted: true } },
];

// BulkBar edits the selected products: it shows what would change, and then does it.
export function BulkBar({ shop, selected, deleted, onDone }: { shop: string; selected: number[]; deleted: boolean; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<(typeof actions)[number] | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "products"] });

  const preview = useMutation({ mutationFn: (item: ItemInput) => changeMany(selected, item, true) });
  const run = useMutation({
    mutationFn: (item: ItemInput) => changeMany(selected, item, false),
    onSuccess: async (done) => {
      const back = chosen!.back;
      const changed = done.results.filter((r) => !r.error && r.changes?.length !== 0).map((r) => r.id);
      setChosen(null);
      onDone();
      await refresh();
      told(say, say("saved") + " · " + say("productsFound", { n: done.updated }), changed.length ? () => changeMany(changed, back, false).then(refresh) : undefined);
    },
    onError: (error) => failed(say, error),
  });

  function choose(action: (typeof actions)[number]) {
    setChosen(action);
    preview.mutate(action.item);
  }

  const results = preview.data?.results ?? [];
  const refused = results.filter((r) => r.error);
  const changing = results.filter((r) => !r.error && r.changes?.length !== 0);
  return (
    <div className="save-bar" role="region" aria-label={say("actions")}>
      <Group justify="space-between">
        <Text size="sm">{say("selected", { n: selected.length })}</Text>
        <Group gap="xs">
          {actions
            .filter((a) => (a.word === "restore") === deleted)
            .map((a) => (
              <Button key={a.word} size="sm" variant={a.word === "remove" ? "light" : "default"} color={a.word === "remove" ? "red" : undefined} onClick={() => choose(a)}>
                {say(a.word)}
              </Button>
            ))}
        </Group>
      </Group>
      <Modal opened={chosen !== null} onClose={() => setChosen(null)} title={chosen ? say(chosen.word) : ""} closeButtonProps={{ "aria-label": say("close") }}>
        <Stack>
          {preview.isError && <Failure error={preview.error} />}
          {preview.isSuccess && <Text>{say("willChange", { n: changing.length })}</Text>}
          {refused.length > 0 && (
            <Alert color="orange" variant="light">
              {say("willFail", { n: refused.length, why: [...new Set(refused.map((r) => r.message || r.error))].slice(0, 3).join("; ") })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setChosen(null)}>
              {say("cancel")}
            </Button>
            <Button data-autofocus disabled={changing.length === 0} loading={preview.isPending || run.isPending} onClick={() => run.mutate(chosen!.item)}>
              {say("doIt")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </div>
  );
}
