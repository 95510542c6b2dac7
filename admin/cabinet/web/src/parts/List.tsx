import "./List.css";
import { Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useCallbackRef, useMediaQuery } from "@mantine/hooks";
import { memo, useDeferredValue, useEffect, useState, type InputHTMLAttributes, type ReactNode } from "react";
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

interface Props<T extends { id: number | string }> {
  query: { data: unknown; isPending: boolean; isError: boolean; error: unknown; refetch: () => unknown };
  items: T[];
  total: number;
  size: number;
  page: number | undefined;
  onPage: (page: number | undefined) => void;
  columns: Column<T>[];
  card: (item: T) => ReactNode;
  nameOf: (item: T) => string;
  empty: string;
  count: string;
}

// List is one page of a list: a table, or cards where the window is narrow. card may draw a link.
export function List<T extends { id: number | string }>({
  selection,
  ...rest
}: Props<T> & {
  selection?: Selection<T["id"]> | undefined; // undefined: nothing can be done with several
}) {
  const { say } = useWords();
  const narrow = useMediaQuery("(max-width: 48em)");
  // Fifty rows are drawn piece by piece, so that keys and clicks meanwhile take effect at once.
  const list = useDeferredValue(rest);
  const { query, items, total, size, page, onPage, columns, empty, count } = list;
  const choose = useCallbackRef((id: T["id"], chosen: boolean) => selection?.set(chosen ? [...selection.ids, id] : selection.ids.filter((x) => x !== id)));
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
  const Item = (narrow ? Tile : Row) as typeof Row<T>;
  const rows = items.map((item) => <Item key={item.id} item={item} list={list} chosen={selection?.ids.includes(item.id)} choose={choose} />);
  return (
    <>
      <Text size="sm" c="dimmed" aria-live="polite">
        {count}
      </Text>
      {narrow ? (
        <Stack gap="xs">{rows}</Stack>
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
            <Table.Tbody>{rows}</Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {pager}
    </>
  );
}

interface ItemProps<T extends { id: number | string }> {
  item: T;
  list: Props<T>;
  chosen: boolean | undefined; // undefined: it cannot be
  choose: (id: T["id"], chosen: boolean) => void;
}

function Choice<T extends { id: number | string }>({ item, list, chosen, choose }: ItemProps<T>) {
  return <Checkbox aria-label={list.nameOf(item)} checked={chosen ?? false} onChange={(e) => choose(item.id, e.currentTarget.checked)} />;
}

function Checkbox({ indeterminate = false, ...props }: InputHTMLAttributes<HTMLInputElement> & { indeterminate?: boolean }) {
  return <input type="checkbox" className="list-choice" ref={(input) => void (input && (input.indeterminate = indeterminate))} {...props} />;
}

// Rows are plain elements with the classes of Mantine's table: its components took most of the time in which
// fifty rows are drawn.
const { tr, td } = Table.classes;

const Row = memo(function Row<T extends { id: number | string }>(props: ItemProps<T>) {
  const { item, list, chosen } = props;
  return (
    <tr className={tr} data-hover data-with-row-border data-chosen={chosen || undefined}>
      {chosen !== undefined && (
        <td className={td}>
          <Choice {...props} />
        </td>
      )}
      {list.columns.map((c) => (
        <td key={c.key} className={td} data-end={c.end || undefined}>
          {c.cell(item)}
        </td>
      ))}
    </tr>
  );
}) as <T extends { id: number | string }>(props: ItemProps<T>) => ReactNode;

const Tile = memo(function Tile<T extends { id: number | string }>(props: ItemProps<T>) {
  return (
    <Group wrap="nowrap" gap="xs">
      {props.chosen !== undefined && <Choice {...props} />}
      <div style={{ flex: 1, minWidth: 0 }}>{props.list.card(props.item)}</div>
    </Group>
  );
}) as typeof Row;
