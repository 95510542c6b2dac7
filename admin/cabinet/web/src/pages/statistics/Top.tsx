import { Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { useId, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { words } from "../../words/statistics";

const first = 10;

// Top is a list of what there was most of: its first entries, and all when asked.
export function Top<T>({ title, hint, head, texts = 1, list, row }: { title: string; hint?: string; head: string[]; texts?: number; list: T[]; row: (entry: T) => { key: string; cells: ReactNode[]; actions?: ReactNode } }) {
  const { say } = useWords(words);
  const [all, setAll] = useState(false);
  const id = useId();
  const numbers = (i: number) => i >= texts;
  return (
    <Card withBorder component="section" aria-labelledby={id} padding="sm">
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      {list.length === 0 ? (
        <Text size="sm" c="dimmed" py="sm">
          {say("nothing")}
        </Text>
      ) : (
        <Table verticalSpacing={6} mt="xs">
          <Table.Thead>
            <Table.Tr>
              {head.map((label, i) => (
                <Table.Th key={label} ta={numbers(i) ? "right" : undefined}>
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.slice(0, all ? undefined : first).map((entry) => {
              const { key, cells, actions } = row(entry);
              return (
                <Table.Tr key={key}>
                  {cells.map((cell, i) => (
                    <Table.Td key={i} ta={numbers(i) ? "right" : undefined} style={{ verticalAlign: "top", whiteSpace: numbers(i) ? "nowrap" : undefined }}>
                      {cell}
                      {i === 0 && actions}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
      {list.length > first && !all && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            {say("showAll", { n: list.length })}
          </Button>
        </Group>
      )}
    </Card>
  );
}
