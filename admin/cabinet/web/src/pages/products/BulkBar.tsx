import { useQueryClient } from "@tanstack/react-query";
import { BulkBar as Bar } from "../../parts/BulkBar";
import type { Selection } from "../../parts/List";
import { told } from "../../parts/notice";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/products";
import { changeMany, type ItemInput } from "./data";

type BulkResult = Awaited<ReturnType<typeof changeMany>>["results"][number];

const actions: { word: WordOf<typeof words>; item: ItemInput; back: ItemInput }[] = [
  { word: "publish", item: { is_published: true }, back: { is_published: false } },
  { word: "unpublish", item: { is_published: false }, back: { is_published: true } },
  { word: "remove", item: { is_deleted: true }, back: { is_deleted: false } },
  { word: "restore", item: { is_deleted: false }, back: { is_deleted: true } },
];

const changes = (r: BulkResult) => !r.error && r.changes?.length !== 0;

// BulkBar edits the selected products.
export function BulkBar({ shop, selection, deleted }: { shop: string; selection: Selection<number>; deleted: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "products"] });

  async function effect(item: ItemInput) {
    const { results } = await changeMany(selection.ids, item, true);
    return { changes: results.filter(changes).length, refused: results.flatMap((r) => (r.error ? [r.message || r.error] : [])) };
  }

  async function run(item: ItemInput, back: ItemInput) {
    const done = await changeMany(selection.ids, item, false);
    const changed = done.results.filter(changes).map((r) => r.id);
    selection.set([]);
    await refresh();
    told(say, say("saved") + " · " + say("productsFound", { n: done.updated }), changed.length ? () => changeMany(changed, back, false).then(refresh) : undefined);
  }

  return (
    <Bar
      count={selection.ids.length}
      willChange={(n) => say("willChange", { n })}
      actions={actions
        .filter((a) => (a.word === "restore") === deleted)
        .map((a) => ({ key: a.word, label: say(a.word), removes: a.word === "remove", effect: () => effect(a.item), run: () => run(a.item, a.back) }))}
    />
  );
}
