import { Button, Menu } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { answer, api, Refusal } from "../../api/client";
import { faultText } from "../../frame/Failure";
import { BulkBar as Bar } from "../../parts/BulkBar";
import type { Selection } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/orders";
import { print, type PaperKind } from "./data";
import { statuses, type Order, type Status } from "./search";

interface Move {
  id: string;
  from: Status;
  to: Status;
}

// BulkBar moves the selected orders and prints their papers. Each order is moved from the state that
// was listed, so that one which somebody moved meanwhile stays where it is.
export function BulkBar({ shop, orders, selection }: { shop: string; orders: Order[]; selection: Selection<string> }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const selected = orders.filter((o) => selection.ids.includes(o.id));
  const numberOf = (id: string) => orders.find((o) => o.id === id)?.number ?? id;

  // move makes one call for the orders that go from one state to another.
  async function move(moves: Move[], dry_run: boolean) {
    const results = [];
    for (const from of statuses) {
      const [first, ...others] = moves.filter((m) => m.from === from);
      if (!first) continue;
      const body = { ids: [first, ...others].map((m) => m.id), status: first.to, expected_status: from, dry_run };
      results.push(...(await answer(api.PUT("/orders/batch/status", { body }))).results);
    }
    return results;
  }

  async function run(moves: Move[]) {
    const results = await move(moves, false);
    await queries.invalidateQueries({ queryKey: [shop, "orders"] });
    selection.set([]);
    const done = moves.filter((m) => results.some((r) => r.id === m.id && !r.error));
    for (const r of results.filter((r) => r.error)) failed(say, new Refusal(409, r.code, r.detail), say("orderNumber", { number: numberOf(r.id) }));
    if (done.length === 0) return;
    told(say, say("movedCount", { n: done.length }), async () => {
      for (const to of statuses) await move(done.filter((m) => m.from === to).map(({ id, from, to }) => ({ id, from: to, to: from })), false);
      await queries.invalidateQueries({ queryKey: [shop, "orders"] });
    });
  }

  const paper = (kind: PaperKind) => print(kind, selection.ids).catch((error: unknown) => failed(say, error));
  return (
    <Bar
      count={selected.length}
      willChange={(n) => say("willMove", { n })}
      actions={statuses
        .filter((to) => selected.some((o) => o.status !== to))
        .map((to) => {
          const moves = selected.filter((o) => o.status !== to).map((o) => ({ id: o.id, from: o.status, to }));
          return {
            key: to,
            label: say(to === "cancelled" ? "cancelMany" : `to_${to}`),
            removes: to === "cancelled",
            effect: async () => {
              const results = await move(moves, true);
              const refused = results.filter((r) => r.error);
              return { changes: results.length - refused.length, refused: refused.map((r) => `${numberOf(r.id)} — ${faultText(r, say)}`) };
            },
            run: () => run(moves),
          };
        })}
    >
      <Menu position="top-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="sm" variant="default" leftSection={<IconPrinter size={16} />}>
            {say("papers")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void paper("slip")}>{say("slips")}</Menu.Item>
          <Menu.Item onClick={() => void paper("invoice")}>{say("invoices")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Bar>
  );
}
