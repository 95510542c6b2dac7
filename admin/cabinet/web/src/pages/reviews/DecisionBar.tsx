import { BulkBar, type BulkAction } from "../../parts/BulkBar";
import { told } from "../../parts/notice";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/reviews";
import { decideMany, type Kind, type Remark } from "./data";
import { statuses, type Status } from "./search";

const labels: Record<Status, WordOf<typeof words>> = { approved: "approve", rejected: "reject", pending: "toPending" };

// DecisionBar decides several reviews or questions at once.
export function DecisionBar({ kind, chosen, onDone, onChanged }: { kind: Kind; chosen: Remark[]; onDone: () => void; onChanged: () => Promise<void> }) {
  const { say } = useWords(words);
  const ids = chosen.map((r) => r.id);

  // back gives each the state that it had.
  async function back(changed: Remark[]) {
    for (const status of statuses) {
      const were = changed.filter((r) => r.status === status);
      if (were.length > 0) await decideMany(kind, were.map((r) => r.id), status, false);
    }
    await onChanged();
  }

  const action = (status: Status): BulkAction => ({
    key: status,
    label: say(labels[status]),
    removes: status === "rejected",
    effect: async () => {
      const { results } = await decideMany(kind, ids, status, true);
      return { changes: results.filter((r) => r.changes?.some((c) => c.field === "status")).length, refused: results.filter((r) => r.error).map((r) => r.detail || r.error) };
    },
    run: async () => {
      const { results } = await decideMany(kind, ids, status, false);
      const changed = chosen.filter((r) => r.status !== status && results.some((x) => x.id === r.id && !x.error));
      onDone();
      await onChanged();
      told(say, say("changedCount", { n: changed.length }), () => back(changed));
    },
  });
  return <BulkBar count={ids.length} willChange={(n) => say("willChange", { n })} actions={(["approved", "rejected", "pending"] as const).filter((s) => chosen.some((r) => r.status !== s)).map(action)} />;
}
