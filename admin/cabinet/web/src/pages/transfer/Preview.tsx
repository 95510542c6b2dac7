import { Alert, Badge, Button, Group, Stack, Switch, Table, Text } from "@mantine/core";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { save } from "../../api/download";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { words } from "../../words/transfer";
import { csvOf, type Report, type Row } from "./kinds";

const ReplayList = lazy(() => import("../../parts/ReplayList"));

const shown = 100; // rows

// Preview says what an import does, or did, line by line.
export function Preview({ report, done, file, children }: { report: Report; done: boolean; file: string; children: ReactNode }) {
  const { say } = useWords(words);
  const [onlyFaults, setOnlyFaults] = useState(false);
  const faulty = report.rows.filter((r) => r.faults.length > 0);
  const rows = onlyFaults ? faulty : report.rows;
  const counts = [
    ["created", report.created, "teal"],
    ["updated", report.updated, "blue"],
    ["same", report.same, "gray"],
    ["errors", report.errors, "red"],
    ["warnings", report.warnings, "orange"],
  ] as const;
  return (
    <Stack gap="sm" role="region" aria-label={say(done ? "importDone" : "preview")}>
      <Group gap="xs" role="status">
        <Text fw={600}>{say(done ? "importDone" : "preview")}</Text>
        {counts.map(([word, n, color]) => (
          <Badge key={word} tt="none" size="lg" variant="light" color={n ? color : "gray"}>
            {say(word, { n })}
          </Badge>
        ))}
      </Group>
      {report.ignored.length > 0 && (
        <Alert variant="light" color="orange">
          {say("ignored", { columns: report.ignored.join(", ") })}
        </Alert>
      )}
      <Group>
        {children}
        {faulty.length > 0 && (
          <>
            <Button variant="default" onClick={() => save(csvOf([["line", "name", "problem"], ...faulty.map((r) => [String(r.line), r.name, r.faults.join("; ")])]), "problems-" + file)}>
              {say("downloadFaults")}
            </Button>
            <Switch label={say("onlyFaults")} checked={onlyFaults} onChange={(e) => setOnlyFaults(e.currentTarget.checked)} />
          </>
        )}
      </Group>
      {report.replay && report.replay.checked > 0 && !done && (
        <Stack gap={4} component="section" aria-label={say("visitorsNotice")}>
          <Text fw={600}>{say("visitorsNotice")}</Text>
          <Suspense>
            <ReplayList replay={report.replay} />
          </Suspense>
        </Stack>
      )}
      <WideTable label={say("happens")} minWidth={320}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("line")}</Table.Th>
              <Table.Th>{say("record")}</Table.Th>
              <Table.Th>{say("happens")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, shown).map((row) => (
              <Line key={row.line} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {rows.length > shown && (
        <Text size="sm" c="dimmed">
          {say("firstLines", { shown, n: rows.length })}
        </Text>
      )}
    </Stack>
  );
}

const statuses = { created: "willCreate", updated: "willUpdate", unchanged: "willStay", skipped: "willStay", error: "willRefuse" } as const;

function Line({ row }: { row: Row }) {
  const { say } = useWords(words);
  const status = statuses[row.status as keyof typeof statuses] ?? "willRefuse";
  return (
    <Table.Tr>
      <Table.Td valign="top">{row.line}</Table.Td>
      <Table.Td valign="top" dir="auto">
        {row.name}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{say(status)}</Text>
        {row.changes.map((c) => (
          <Text key={c.column} size="xs" dir="auto">
            {c.column}: <del>{c.from || "—"}</del> → <ins>{c.to || "—"}</ins>
          </Text>
        ))}
        {row.faults.map((f) => (
          <Text key={f} size="xs" c={row.status === "error" ? "var(--mantine-color-error)" : undefined} dir="auto">
            {`reason_${f}` in words ? say(`reason_${f}` as keyof typeof words) : f.replace(/^[A-Z_]+: /, "") /* its code, for programs */}
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}
