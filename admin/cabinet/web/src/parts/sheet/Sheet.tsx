import "react-data-grid/lib/styles.css";
import "./sheet.css";
import { Button, Group, Text } from "@mantine/core";
import { IconArrowBarToDown } from "@tabler/icons-react";
import { startTransition, useEffect, useId, useMemo, useRef, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { DataGrid, type CellKeyboardEvent, type CellKeyDownArgs, type Column, type DataGridHandle, type RenderEditCellProps } from "react-data-grid";
import { useWords } from "../../words";
import { words } from "../../words/sheet";
import { parseBlock } from "./block";

// SheetRow is a row of texts by column; id is its own.
export type SheetRow = Record<string, string> & { id: string };

export interface SheetColumn {
  key: string;
  name: string;
  width: number;
  frozen?: boolean;
  number?: boolean;
  // whether the cell of a row may be edited; absent: none may
  editable?: (row: SheetRow) => boolean;
  suggestions?: string[];
  render?: (row: SheetRow, tabIndex: number) => ReactNode;
}

// Cell is a cell that got another text. row is its place, which may be below the rows that are here.
export interface Cell {
  row: number;
  column: string;
  text: string;
}

const rowHeight = 36;

// Sheet is a table to type in, like a spreadsheet: blocks can be pasted and a cell filled down.
// Only what is seen is in the document, so hundreds of rows stay fast.
export default function Sheet({
  label,
  columns,
  rows,
  total = rows.length,
  onEnd,
  faultOf,
  onCells,
  height,
  focusOn,
}: {
  label: string;
  columns: SheetColumn[];
  rows: SheetRow[];
  total?: number; // rows that there are, of which the first ones are here
  onEnd?: () => void; // the last row that is here comes into sight
  faultOf: (row: SheetRow, column: string) => string | undefined;
  onCells: (cells: Cell[]) => void;
  height: number;
  // the cell to go to, each time that another object is given
  focusOn?: { row: number; column: string } | undefined;
}) {
  const { say } = useWords(words);
  const [at, setAt] = useState<{ row: number; column: string } | null>(null);
  const active = useRef(at); // at once; what is said about the cell follows
  const grid = useRef<DataGridHandle>(null);
  useEffect(() => {
    const idx = columns.findIndex((c) => c.key === focusOn?.column);
    if (focusOn && idx >= 0) grid.current?.setActivePosition({ rowIdx: focusOn.row, idx }, { shouldFocus: true });
    // Only another place to go to moves the person: other columns do not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [focusOn]);

  const gridColumns = useMemo(
    () =>
      columns.map((c): Column<SheetRow> => ({
        key: c.key,
        name: c.name,
        width: c.width,
        frozen: c.frozen ?? false,
        resizable: true,
        editable: c.editable ?? false,
        cellClass: (row) => [c.number && "sheet-number", faultOf(row, c.key) && "sheet-refused", c.editable?.(row) || "sheet-locked"].filter((x) => typeof x === "string").join(" "),
        renderCell: ({ row, tabIndex }) => (c.render ? c.render(row, tabIndex) : <bdi title={faultOf(row, c.key)}>{row[c.key]}</bdi>),
        renderEditCell: (props) => <CellInput {...props} label={c.name} suggestions={c.suggestions} />,
      })),
    [columns, faultOf],
  );

  function editable(row: number, column: SheetColumn): boolean {
    const known = rows[row];
    return known ? (column.editable?.(known) ?? false) : row < total && column.editable !== undefined;
  }

  function paste(text: string) {
    const from = active.current;
    if (!from) return;
    const first = columns.findIndex((c) => c.key === from.column);
    const cells = parseBlock(text).flatMap((line, r) => line.flatMap((text, c) => {
      const column = columns[first + c];
      return column && editable(from.row + r, column) ? [{ row: from.row + r, column: column.key, text: text.trim() }] : [];
    }));
    if (cells.length > 0) onCells(cells);
  }

  function fillDown() {
    const column = columns.find((c) => c.key === at?.column);
    if (!at || !column) return;
    const text = rows[at.row]?.[at.column] ?? "";
    const cells = Array.from({ length: total }, (_, row) => row).flatMap((row) => (row > at.row && editable(row, column) ? [{ row, column: at.column, text }] : []));
    if (cells.length > 0) onCells(cells);
  }

  function keyDown(args: CellKeyDownArgs<SheetRow>, event: CellKeyboardEvent) {
    const withControl = event.ctrlKey || event.metaKey;
    // What is typed is in the sheet before the page saves it.
    if (args.mode === "EDIT" && withControl && event.key === "s") flushSync(() => args.onClose(true));
    if (args.mode !== "ACTIVE" || !args.column || !args.row) return;
    if (event.key === "Tab") return event.preventGridDefault(); // arrows move in the sheet, Tab leaves it
    const column = columns.find((c) => c.key === args.column!.key);
    if (!column || !editable(args.rowIdx, column)) return;
    let text: string;
    if (event.key === "Delete") text = "";
    else if (withControl && event.key === "d") text = rows[args.rowIdx - 1]?.[column.key] ?? "";
    else return;
    event.preventGridDefault();
    event.preventDefault();
    onCells([{ row: args.rowIdx, column: column.key, text }]);
  }

  const row = at && rows[at.row];
  const fault = row ? faultOf(row, at.column) : undefined;
  const shown = Math.min(height, rowHeight * (rows.length + 1) + 18);
  return (
    <div>
      <DataGrid
        ref={grid}
        aria-label={label}
        className="sheet"
        columns={gridColumns}
        rows={rows}
        rowKeyGetter={(row) => row.id}
        rowHeight={rowHeight}
        headerRowHeight={rowHeight}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => scrollTop + 2 * clientHeight > scrollHeight && onEnd?.()}
        style={{ blockSize: shown }}
        onRowsChange={(changed, { indexes, column }) => onCells(indexes.map((row) => ({ row, column: column.key, text: changed[row]![column.key]!.trim() })))}
        onFill={({ columnKey, sourceRow, targetRow }) => ({ ...targetRow, [columnKey]: sourceRow[columnKey]! })}
        onCellCopy={({ row, column }, event) => {
          event.clipboardData.setData("text/plain", row[column.key] ?? "");
          event.preventDefault();
        }}
        onCellPaste={({ row }, event) => {
          if (!(event.target instanceof HTMLInputElement)) {
            event.preventDefault();
            paste(event.clipboardData.getData("text/plain"));
          }
          return row;
        }}
        onCellKeyDown={keyDown}
        onActivePositionChange={({ rowIdx, row, column }) => {
          if (!row || !column) return;
          active.current = { row: rowIdx, column: column.key };
          startTransition(() => setAt(active.current));
        }}
      />
      <Group gap="xs" mt={6} justify="space-between">
        <Button size="compact-sm" variant="default" leftSection={<IconArrowBarToDown size={16} />} disabled={!at} onClick={fillDown}>
          {say("fillDown")}
        </Button>
        <Text size="xs" c={fault ? "var(--mantine-color-error)" : "dimmed"} role="status">
          {fault ?? say("sheetHint")}
        </Text>
      </Group>
    </div>
  );
}

const mostSuggestions = 100;

function CellInput({ row, column, onRowChange, onClose, label, suggestions = [] }: RenderEditCellProps<SheetRow> & { label: string; suggestions: string[] | undefined }) {
  const list = useId();
  const text = row[column.key]!.toLowerCase();
  const fitting = suggestions.filter((s) => s.toLowerCase().includes(text)).slice(0, mostSuggestions);
  return (
    <>
      <input
        className="sheet-input"
        autoFocus
        dir="auto"
        aria-label={label}
        list={list}
        maxLength={1000}
        value={row[column.key]}
        onFocus={(e) => e.currentTarget.select()}
        onChange={(e) => onRowChange({ ...row, [column.key]: e.currentTarget.value })}
        onBlur={() => onClose(true, false)}
      />
      <datalist id={list}>
        {fitting.map((s) => (
          <option key={s} value={s} />
        ))}
      </datalist>
    </>
  );
}
