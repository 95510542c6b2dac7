import { ActionIcon, Button, Card, Group, Input, NativeSelect, SimpleGrid, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { useWords } from "../words";
import type { Faults } from "./EditForm";
import { Pager } from "./Pager";
import { Place } from "./Place";

export interface RowColumn<R> {
  key: keyof R & string;
  label: string;
  width: number;
  number?: boolean;
  maxLength: number;
  options?: { value: string; label: string }[];
}

// Rows edits a short table: a table when wide, cards when narrow. Enter leads to the row below and
// adds one after the last. A fault is found by the place of its cell, such as rates[2].price.
export function Rows<R extends Record<string, string>>({
  label,
  ordered,
  at,
  columns,
  rows,
  blank,
  add,
  max,
  faults,
  locked,
  onChange,
}: {
  label: string; // of one of its rows, before its number
  ordered?: boolean;
  at: string;
  columns: RowColumn<R>[];
  rows: R[];
  blank: R;
  add: string;
  max: number;
  faults: Faults;
  locked: boolean;
  onChange: (rows: R[]) => void;
}) {
  const { say } = useWords();
  const narrow = useMediaQuery("(max-width: 62em)", true, { getInitialValueInEffect: false });
  const shown = narrow ? 10 : 50;
  const root = useRef<HTMLDivElement>(null);
  const [page, setPage] = useState(1);
  const [goal, setGoal] = useState<{ row: number; column: number }>();
  const last = Math.max(1, Math.ceil(rows.length / shown));
  const first = (Math.min(page, last) - 1) * shown;

  // The first fault is on a page of the table that may not be shown.
  const faulty = Object.keys(faults).find((place) => place.startsWith(at + "["))?.slice(at.length + 1).split("]")[0];
  useEffect(() => {
    if (faulty !== undefined) setPage(Math.floor(Number(faulty) / shown) + 1);
  }, [faulty, shown]);
  useEffect(() => {
    if (!goal) return;
    root.current?.querySelector<HTMLElement>(`[data-cell="${goal.row}.${goal.column}"]`)?.focus();
    setGoal(undefined);
  }, [goal]);

  function addRow(column = 0) {
    if (locked || rows.length >= max) return;
    onChange([...rows, blank]);
    setPage(Math.floor(rows.length / shown) + 1);
    setGoal({ row: rows.length, column });
  }

  function cell(row: R, i: number, c: RowColumn<R>, column: number) {
    const fault = faults[`${at}[${i}].${c.key}`] ?? (column === 0 ? faults[`${at}[${i}]`] : undefined);
    const change = (value: string) => onChange(rows.map((r, n) => (n === i ? { ...r, [c.key]: value } : r)));
    const common = {
      ...(narrow ? { label: c.label } : { "aria-label": `${c.label} ${i + 1}` }),
      value: row[c.key],
      title: row[c.key],
      error: fault,
      size: "xs" as const,
      "data-cell": `${i}.${column}`,
      onKeyDown: (e: KeyboardEvent) => {
        if (e.key !== "Enter" || e.ctrlKey || e.metaKey) return;
        e.preventDefault(); // it would save the form
        if (i === rows.length - 1) return addRow();
        setPage(Math.floor((i + 1) / shown) + 1);
        setGoal({ row: i + 1, column });
      },
    };
    if (c.options) return <NativeSelect {...common} data={c.options} disabled={locked} onChange={(e) => change(e.currentTarget.value)} />;
    return <TextInput {...common} readOnly={locked} maxLength={c.maxLength} inputMode={c.number ? "decimal" : "text"} dir={c.number ? "ltr" : "auto"} onChange={(e) => change(e.currentTarget.value)} />;
  }

  const visible = rows.slice(first, first + shown);
  const widthOfPlace = locked ? 0 : ordered ? 110 : 50;
  const place = (i: number) =>
    !locked &&
    (ordered ? (
      <Place list={rows} at={i} name={`${label} ${i + 1}`} onChange={onChange} />
    ) : (
      <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")}: ${label} ${i + 1}`} onClick={() => onChange(rows.filter((_, n) => n !== i))}>
        <IconX size={16} />
      </ActionIcon>
    ));
  return (
    <Input.Wrapper error={faults[at]} ref={root}>
      <Stack gap="xs">
        {rows.length > 0 && !narrow && (
          <Table.ScrollContainer minWidth={columns.reduce((w, c) => w + c.width, widthOfPlace)} type="native">
            <Table verticalSpacing={4} horizontalSpacing={4} layout="fixed">
              <Table.Thead>
                <Table.Tr>
                  {columns.map((c) => (
                    <Table.Th key={c.key} w={c.width} fz="xs" style={{ whiteSpace: "normal", verticalAlign: "bottom" }}>
                      {c.label}
                    </Table.Th>
                  ))}
                  {!locked && (
                    <Table.Th w={widthOfPlace} ta="right" fz="xs" style={{ verticalAlign: "bottom" }}>
                      {ordered ? say("sort") : <span className="skip">{say("remove")}</span>}
                    </Table.Th>
                  )}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {visible.map((row, n) => (
                  <Table.Tr key={first + n} style={{ verticalAlign: "top" }}>
                    {columns.map((c, column) => (
                      <Table.Td key={c.key}>{cell(row, first + n, c, column)}</Table.Td>
                    ))}
                    {!locked && <Table.Td ta="right">{place(first + n)}</Table.Td>}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        {narrow &&
          visible.map((row, n) => (
            <Card key={first + n} withBorder p="xs" role="group" aria-label={`${label} ${first + n + 1}`}>
              <Group justify="space-between" mb={4}>
                <Text size="sm" fw={500}>
                  {first + n + 1}
                </Text>
                {place(first + n)}
              </Group>
              <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
                {columns.map((c, column) => (
                  <div key={c.key}>{cell(row, first + n, c, column)}</div>
                ))}
              </SimpleGrid>
            </Card>
          ))}
        <Pager total={rows.length} size={shown} page={Math.min(page, last)} onPage={(p) => setPage(p ?? 1)} />
        {!locked && rows.length < max && (
          <Group>
            <Button variant="default" size="xs" leftSection={<IconPlus size={16} />} onClick={() => addRow()}>
              {add}
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
