import { useQueryClient } from "@tanstack/react-query";
import { BulkBar as Bar } from "../../parts/BulkBar";
import type { Selection } from "../../parts/List";
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

// BulkBar edits the selected articles, one call for each. Each call names the state that was
// listed, so that nothing is lost that somebody saved meanwhile.
export function BulkBar({ shop, articles, selection, deleted }: { shop: string; articles: Article[]; selection: Selection<number>; deleted: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();

  async function change(list: Article[], item: ItemInput) {
    const changed: Article[] = [];
    for (const a of list) {
      try {
        changed.push((await patiently(() => saveArticle(a.id, item, a.updated_at))).result);
      } catch (error) {
        failed(say, error, a.title);
      }
    }
    await queries.invalidateQueries({ queryKey: [shop, "articles"] });
    return changed;
  }

  async function run(list: Article[], flag: Flag, value: boolean) {
    const changed = await change(list, { [flag]: value });
    selection.set([]);
    if (changed.length > 0) told(say, say("saved") + " · " + say("articlesCount", { n: changed.length }), () => change(changed, { [flag]: !value }));
  }

  const selected = articles.filter((a) => selection.ids.includes(a.id));
  return (
    <Bar
      count={selected.length}
      willChange={(n) => say("willChange", { n })}
      actions={actions
        .filter((a) => (a.word === "restore") === deleted)
        .map(({ word, flag, value }) => {
          const list = selected.filter((a) => a[flag] !== value);
          return { key: word, label: say(word), removes: word === "remove", effect: () => Promise.resolve({ changes: list.length }), run: () => run(list, flag, value) };
        })}
    />
  );
}
