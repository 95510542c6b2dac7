import "./List.css";
import { Badge, Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useCallbackRef, useMediaQuery } from "@mantine/hooks";
import { memo, useEffect, useState, type CSSProperties, type InputHTMLAttributes, type ReactNode } from "react";
import { Failure } from "../frame/Failure";
import { useWords } from "../words";
import { Pager } from "./Pager";

// Unbroken is a cell whose text stays on one line beside long ones.
export const Unbroken = ({ children }: { children: ReactNode }) => <span style={{ whiteSpace: "nowrap" }}>{children}</span>;

export interface Column<T> {
  key: string;
  label: string;
  end?: boolean; // numbers
  cell: (item: T) => ReactNode;
}

export interface Selection<I> {
  ids: I[];
  set: (ids: I[]) => void;
}

// useSelection holds what a person selected of a list. Another search selects nothing.
export function useSelection<I = number>(search: unknown): Selection<I> {
  const [ids, set] = useState<I[]>([]);
  const key = JSON.stringify(search);
  useEffect(() => set([]), [key]);
  return { ids, set };
}

// List is one page of a list: a table, or cards where the window is narrow. card may draw a link.
export function List<T extends { id: number | string }>({
  query,
  items,
  total,
  size,
  page,
  onPage,
  columns,
  card,
  nameOf,
  selection,
  empty,
  count,
}: {
  query: { data: unknown; isPending: boolean; isError: boolean; error: unknown; refetch: () => unknown };
  items: T[];
  total: number;
  size: number;
  page: number | undefined;
  onPage: (page: number | undefined) => void;
  columns: Column<T>[];
  card: (item: T) => ReactNode;
  nameOf: (item: T) => string;
  selection?: Selection<T["id"]> | undefined; // undefined: nothing can be done with several
  empty: string;
  count: string;
}) {
  const { say } = useWords();
  const narrow = useMediaQuery("(max-width: 48em)");
  const choose = useCallbackRef((id: T["id"], chosen: boolean) => selection?.set(chosen ? [...selection.ids, id] : selection.ids.filter((other) => other !== id)));
  if (query.isError && !query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending)
    return (
      <Stack gap="xs" aria-label={say("loading")} role="status">
        {Array.from({ length: 8 }, (_, i) => (
          <Skeleton key={i} h={52} />
        ))}
      </Stack>
    );
  const pager = <Pager total={total} size={size} page={page} onPage={onPage} />;
  if (items.length === 0)
    return (
      <>
        <Text py="xl" ta="center" c="dimmed">
          {empty}
        </Text>
        {pager}
      </>
    );

  const ids = items.map((item) => item.id);
  const all = ids.every((id) => selection?.ids.includes(id));
  const choiceOfAll = selection && (
    <Checkbox aria-label={say("all")} checked={all} indeterminate={!all && selection.ids.length > 0} onChange={() => selection.set(all ? [] : ids)} />
  );
  const chosen = new Set(selection?.ids);
  return (
    <>
      <Text size="sm" c="dimmed" aria-live="polite">
        {count}
      </Text>
      {narrow ? (
        <Stack gap="xs">
          {items.map((item) => (
            <Group key={item.id} wrap="nowrap" gap="xs">
              {selection && <Choice id={item.id} name={nameOf(item)} chosen={chosen.has(item.id)} onChoose={choose} />}
              <div style={{ flex: 1, minWidth: 0 }}>{card(item)}</div>
            </Group>
          ))}
        </Stack>
      ) : (
        <Table.ScrollContainer minWidth={640}>
          <Table highlightOnHover verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                {selection && <Table.Th w={40}>{choiceOfAll}</Table.Th>}
                {columns.map((c) => (
                  <Table.Th key={c.key} ta={c.end ? "right" : undefined}>
                    {c.label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((item) => (
                <Row key={item.id} item={item} columns={columns} name={nameOf(item)} chosen={selection && chosen.has(item.id)} onChoose={choose} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {pager}
    </>
  );
}

function Checkbox({ indeterminate = false, ...props }: InputHTMLAttributes<HTMLInputElement> & { indeterminate?: boolean }) {
  return <input type="checkbox" className="list-choice" ref={(input) => void (input && (input.indeterminate = indeterminate))} {...props} />;
}

interface Choosing<I> {
  name: string;
  onChoose: (id: I, chosen: boolean) => void;
}

function Choice<I extends number | string>({ id, name, chosen, onChoose }: Choosing<I> & { id: I; chosen: boolean }) {
  return <Checkbox aria-label={name} checked={chosen} onChange={(e) => onChoose(id, e.currentTarget.checked)} />;
}

// Row is drawn again when its item or the columns are others: a page whose columns stay the same draws only the
// rows that changed. chosen is undefined where nothing can be done with several.
const Row = memo(function Row<T extends { id: number | string }>({ item, columns, name, chosen, onChoose }: Choosing<T["id"]> & { item: T; columns: Column<T>[]; chosen: boolean | undefined }) {
  return (
    <tr className={tr} data-hover data-with-row-border data-chosen={chosen || undefined}>
      {chosen !== undefined && (
        <td className={td}>
          <Choice id={item.id} name={name} chosen={chosen} onChoose={onChoose} />
        </td>
      )}
      {columns.map((c) => (
        <td key={c.key} className={td} data-end={c.end || undefined}>
          {c.cell(item)}
        </td>
      ))}
    </tr>
  );
}) as <T extends { id: number | string }>(props: Choosing<T["id"]> & { item: T; columns: Column<T>[]; chosen: boolean | undefined }) => ReactNode;

// RowText is a text of a row in one line.
export const RowText = ({ children, pale = true }: { children: string | undefined; pale?: boolean }) => (
  <div className="row-text" data-pale={pale || undefined} dir="auto" title={children}>
    {children}
  </div>
);

// RowBadge is a state in a row.
export const RowBadge = ({ color = "teal", children }: { color?: string | undefined; children: string }) => (
  <span className={`mantine-Badge-root row-badge ${Badge.classes.root}`} style={{ "--badge-bg": `var(--mantine-color-${color}-light)`, "--badge-color": `var(--mantine-color-${color}-light-color)` } as CSSProperties}>
    <span className={Badge.classes.label} dir="auto">
      {children}
    </span>
  </span>
);

// Rows are plain elements with the classes of Mantine's table: its components took most of the time in which
// fifty rows are drawn.
const { tr, td } = Table.classes;
