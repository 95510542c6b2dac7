import "./List.css";
import { Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useState, type InputHTMLAttributes, type ReactNode } from "react";
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
  const choice = (item: T) =>
    selection && (
      <Checkbox
        aria-label={nameOf(item)}
        checked={selection.ids.includes(item.id)}
        onChange={(e) => selection.set(e.currentTarget.checked ? [...selection.ids, item.id] : selection.ids.filter((id) => id !== item.id))}
      />
    );
  return (
    <>
      <Text size="sm" c="dimmed" aria-live="polite">
        {count}
      </Text>
      {narrow ? (
        <Stack gap="xs">
          {items.map((item) => (
            <Group key={item.id} wrap="nowrap" gap="xs">
              {choice(item)}
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
                <tr key={item.id} className={tr} data-hover data-with-row-border data-chosen={selection?.ids.includes(item.id) || undefined}>
                  {selection && <td className={td}>{choice(item)}</td>}
                  {columns.map((c) => (
                    <td key={c.key} className={td} data-end={c.end || undefined}>
                      {c.cell(item)}
                    </td>
                  ))}
                </tr>
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

// Rows are plain elements with the classes of Mantine's table: its components took most of the time in which
// fifty rows are drawn.
const { tr, td } = Table.classes;
