import { Skeleton, Stack, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { answer, api, type Schemas } from "../../../api/client";
import { useShownCall } from "../../../frame/Call";
import { explained, Failure } from "../../../frame/Failure";
import type { Passport } from "../../../frame/session";
import { addressOf } from "../../../parts/address";
import { AnchorLink } from "../../../parts/links";
import { failed, told } from "../../../parts/notice";
import { SaveBar } from "../../../parts/SaveBar";
import Sheet, { type Cell, type SheetColumn, type SheetRow } from "../../../parts/sheet/Sheet";
import { useEdit } from "../../../parts/useEdit";
import { treeQuery } from "../../../parts/sections";
import { useWords } from "../../../words";
import { words } from "../../../words/products";
import { useArrangement } from "../arrangement";
import { gridColumns, shownColumns } from "../columns";
import { queryOf, type ProductSearch } from "../search";
import { countable, sectionNames, textsOf, type Cells, type ColumnKey } from "./columns";
import { callsOf, save, withSaved, type GridFaults, type Saved } from "./save";

type List = Schemas["CatalogProductList"];

const perCall = 100;
const most = 1000;

// Grid edits the products of a list as a spreadsheet: up to a thousand of them. They are loaded as they
// are scrolled to, or pasted over.
export default function Grid({ shop, search, passport }: { shop: string; search: ProductSearch; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const key = [shop, "products", "grid", { ...search, page: undefined }];
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }) => (await answer(api.GET("/products", { params: { query: queryOf({ ...search, page: pageParam }, perCall) }, signal }))).result,
    initialPageParam: 1,
    getNextPageParam: (last: List) => (last.currentPage * perCall < Math.min(last.total, most) ? last.currentPage + 1 : undefined),
    refetchOnWindowFocus: false,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const sections = useQuery(treeQuery(shop));
  const sheets = useMemo(() => ({ digits: passport.store.price_digits, say, sections: sectionNames(sections.data ?? []) }), [passport, say, sections.data]);
  const products = useMemo(() => list.data?.pages.flatMap((p) => p.items) ?? [], [list.data]);
  const byID = useMemo(() => new Map(products.map((p) => [p.id, p])), [products]);

  const edit = useEdit<{ cells: Cells }>(`${shop}/grid`, useMemo(() => ({ cells: {} }), []));
  const { cells } = edit.values;
  const [faults, setFaults] = useState<GridFaults>({});
  const saved = useMemo(() => products.map((p): SheetRow => ({ id: String(p.id), countable: countable(p) ? "1" : "", ...textsOf(p, sheets) })), [products, sheets]);
  const rows = useMemo(() => saved.map((row) => (cells[row.id] ? ({ ...row, ...cells[row.id] } as SheetRow) : row)), [saved, cells]);
  const [focusOn, setFocusOn] = useState<{ row: number; column: string }>();
  const faultOf = useCallback((row: SheetRow, column: string) => faults[`${row.id}.${column}`], [faults]);

  useShownCall(() => {
    const { edits, stocks } = callsOf(cells, byID, sheets);
    if (edits[0]) return { method: "PATCH", path: "/products/batch", body: { items: edits[0] } };
    if (stocks[0]) return { method: "PUT", path: "/products/batch/stock", body: { items: stocks[0] } };
    return { method: "GET", path: addressOf("/products", queryOf(search, perCall)) };
  });

  // Cells of rows that are not loaded wait for them, as does what was typed before a reload.
  const [waiting, setWaiting] = useState<Cell[]>([]);
  useEffect(() => {
    if (waiting.length > 0 || Object.keys(cells).some((id) => !byID.has(Number(id)))) more();
    const here = waiting.filter((c) => c.row < rows.length);
    if (here.length === 0 && (waiting.length === 0 || hasNextPage)) return;
    setWaiting(hasNextPage ? waiting.filter((c) => c.row >= rows.length) : []);
    type(here);
  });

  function onCells(changed: Cell[]) {
    const later = changed.filter((c) => c.row >= rows.length);
    if (later.length > 0) setWaiting([...waiting, ...later]);
    type(changed);
  }

  function type(changed: Cell[]) {
    const next = { ...cells };
    const fewer = { ...faults };
    for (const c of changed) {
      const row = saved[c.row];
      if (!row || !columns.find((column) => column.key === c.column)?.editable?.(row)) continue;
      const column = c.column as ColumnKey;
      const typed = { ...next[row.id], [column]: c.text };
      if (c.text === row[column]) delete typed[column];
      if (Object.keys(typed).length > 0) next[row.id] = typed;
      else delete next[row.id];
      delete fewer[`${row.id}.${column}`];
    }
    edit.set("cells", next);
    setFaults(fewer);
  }

  // store puts what was accepted into the list that is shown.
  function store({ accepted }: Saved) {
    queries.setQueryData<InfiniteData<List>>(key, (old) => old && { ...old, pages: old.pages.map((page) => ({ ...page, items: page.items.map((p) => { const w = accepted.get(p.id); return w ? withSaved(p, w) : p; }) })) });
    void queries.invalidateQueries({ queryKey: [shop, "products"], refetchType: "none" });
    void queries.invalidateQueries({ queryKey: [shop, "product"] });
  }
  const saving = useMutation({
    mutationFn: (typed: Cells) => save(typed, byID, sheets, (error) => explained(error, say)),
    onSuccess: (saved, typed) => {
      const before: Cells = {};
      const kept: Cells = {};
      let done = 0;
      for (const [id, texts] of Object.entries(typed)) {
        for (const [column, text] of Object.entries(texts)) {
          if (saved.faults[`${id}.${column}`] || !wrote(saved, Number(id), column)) kept[id] = { ...kept[id], [column]: text };
          else {
            const product = byID.get(Number(id)); // other filters may list it
            if (product) before[id] = { ...before[id], [column]: textsOf(product, sheets)[column as ColumnKey] };
            done++;
          }
        }
      }
      store(saved);
      setFaults(saved.faults);
      const refused = Object.keys(saved.faults).length;
      const row = rows.findIndex((r) => columns.some((c) => saved.faults[`${r.id}.${c.key}`]));
      const column = columns.find((c) => saved.faults[`${rows[row]?.id}.${c.key}`]);
      if (column) setFocusOn({ row, column: column.key });
      if (Object.keys(kept).length > 0) edit.set("cells", kept);
      else edit.done();
      if (refused > 0) failed(say, new Error(say("cellsRefused", { n: refused })));
      if (done > 0) {
        const after = new Map([...byID].map(([id, p]) => { const w = saved.accepted.get(id); return [id, w ? withSaved(p, w) : p]; }));
        told(say, say("cellsSaved", { n: done }), () => save(before, after, sheets, (error) => explained(error, say)).then(store));
      }
    },
    onError: (error) => failed(say, error),
  });

  const [arrangement] = useArrangement(shop);
  const shown = useMemo(() => shownColumns(arrangement, "grid"), [arrangement]);
  const columns = useMemo((): SheetColumn[] => {
    const can = passport.capabilities.catalog_write ? () => true : () => false;
    const column = (key: ColumnKey, name: string, width: number, more: Partial<SheetColumn> = {}): SheetColumn => ({ key, name, width, editable: can, ...more });
    const names = [...sheets.sections.values()];
    return [
      column("name", say("productName"), innerWidth > 600 ? 260 : 150, { frozen: true }),
      column("sku", say("sku"), 130),
      column("price", `${say("price")}, ${passport.store.currency}`, 110, { number: true }),
      column("old_price", say("oldPrice"), 110, { number: true }),
      column("quantity", say("stock"), 90, { number: true, editable: (row) => can() && row.countable === "1" }),
      column("section", say("section"), 160, { suggestions: names }),
      column("published", say("published"), 110, { suggestions: [say("yes"), say("no")] }),
      column("brand", say("brand"), 130),
      column("gtin", say("gtin"), 140),
      column("weight", say("weight"), 90, { number: true }),
      column("tags", say("tags"), 160),
      { key: "open", name: "", width: 50, render: (row: SheetRow, tabIndex: number) => (
        <AnchorLink to="/$shop/products/$id" params={{ shop, id: row.id }} tabIndex={tabIndex} aria-label={`${say("openProduct")}: ${row.name}`}>
          <IconExternalLink size={16} />
        </AnchorLink>
      ) },
    ].filter((c) => !(c.key in gridColumns) || shown.has(c.key));
  }, [say, sheets, passport, shop, shown]);

  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton h={480} />;
  const total = list.data.pages[0]!.total;
  const edited = Object.values(cells).reduce((n, c) => n + Object.keys(c).length, 0);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" aria-live="polite">
        {say("productsFound", { n: total })}
        {total > most && ". " + say("gridMost", { n: most })}
      </Text>
      <Sheet label={say("products")} columns={columns} rows={rows} total={Math.min(total, most)} onEnd={more} faultOf={faultOf} onCells={onCells} focusOn={focusOn} height={Math.max(320, innerHeight - 330)} />
      <SaveBar edit={edit} labels={{ cells: say("cells", { n: edited }) }} saving={saving.isPending} onSave={() => saving.mutate(cells)} />
    </Stack>
  );
}

// wrote reports whether the save accepted the cell: a refused product keeps all that was typed.
function wrote({ accepted }: Saved, id: number, column: string): boolean {
  const w = accepted.get(id);
  return column === "quantity" ? w?.quantity !== undefined : w !== undefined && Object.keys(w.item).length > 0;
}
