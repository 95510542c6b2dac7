import "./websites.css";
import { Accordion, Anchor, Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../../frame/Failure";
import { useWords } from "../../words";
import { findings } from "../../words/findings";
import { words } from "../../words/websites";
import { fileQuery } from "./data";
import type { Finding, Kind, Release, Report } from "./kinds";

const levels = ["errors", "warnings", "info"] as const;
type Level = (typeof levels)[number];
const colours = { errors: "red", warnings: "orange", info: "blue" } as const;

const around = 2; // lines before and after the one in question
const mostCharacters = 400; // of a shown line
const shownAtOnce = 50; // findings of one file

interface Found extends Finding {
  level: Level;
}

interface Place {
  shop: string;
  kind: Kind;
  id: string;
  release: Release;
}

// ReportView lists what the check of a release found, by file, the gravest first.
export function ReportView({ report, onAgain, checking, ...place }: Place & { report: Report; onAgain: (() => void) | undefined; checking: boolean }) {
  const { say } = useWords(words);
  const all = levels.flatMap((level) => report[level].map((f): Found => ({ ...f, level })));
  const byPath: Record<string, Found[]> = {};
  for (const f of all) (byPath[f.path] ??= []).push(f);
  const files = Object.entries(byPath).sort((a, b) => levels.indexOf(a[1][0]!.level) - levels.indexOf(b[1][0]!.level) || a[0].localeCompare(b[0]));
  const [opened, setOpened] = useState<string[]>(files.slice(0, 1).map(([path]) => path));
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          {levels.map((level) => (
            <Badge key={level} tt="none" variant="light" size="lg" color={report[level].length ? colours[level] : "gray"}>
              {say(`count_${level}`, { n: report[level].length })}
            </Badge>
          ))}
        </Group>
        {onAgain && (
          <Button variant="default" size="xs" loading={checking} onClick={onAgain}>
            {say("checkAgain")}
          </Button>
        )}
      </Group>
      <Text size="sm" role="status">
        {say(report.errors.length > 0 ? "hasErrors" : all.length > 0 ? "mayPublish" : "clean")}
      </Text>
      <Accordion multiple order={2} variant="separated" value={opened} onChange={setOpened}>
        {files.map(([path, list]) => (
          <Accordion.Item key={path} value={path}>
            <Accordion.Control>
              <Group gap="xs">
                <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }} dir="ltr">
                  {path}
                </Text>
                {levels.map((level) => {
                  const n = list.filter((f) => f.level === level).length;
                  return (
                    n > 0 && (
                      <Badge key={level} tt="none" variant="light" color={colours[level]}>
                        {say(`count_${level}`, { n })}
                      </Badge>
                    )
                  );
                })}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>{opened.includes(path) && <FileFindings {...place} path={path} list={list} />}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}

function FileFindings({ path, list, shop, kind, id, release }: Place & { path: string; list: Found[] }) {
  const { say } = useWords(words);
  const [all, setAll] = useState(false);
  const there = release.files.some((f) => f.path === path && !f.pending);
  const source = useQuery({ ...fileQuery(shop, kind, id, release.id, path), enabled: there && list.some((f) => f.line > 0) });
  const lines = source.data?.split("\n");
  return (
    <Stack gap="lg">
      {(all ? list : list.slice(0, shownAtOnce)).map((f, i) => (
        <OneFinding key={i} finding={f} lines={lines} />
      ))}
      {source.isLoading && <Skeleton h={60} />}
      {source.isError && <Failure error={source.error} />}
      {!all && list.length > shownAtOnce && (
        <Button variant="default" style={{ alignSelf: "flex-start" }} onClick={() => setAll(true)}>
          {say("showAll", { n: list.length })}
        </Button>
      )}
    </Stack>
  );
}

// OneFinding is what was found, where, what to do, and the rule in the guide.
function OneFinding({ finding: f, lines }: { finding: Found; lines: string[] | undefined }) {
  const { say } = useWords(words);
  const { say: title } = useWords(findings);
  const known = f.code in findings;
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Badge tt="none" variant="light" color={colours[f.level]}>
          {say(`one_${f.level}`)}
        </Badge>
        {known && (
          <Text size="sm" fw={600}>
            {title(f.code as keyof typeof findings)}
          </Text>
        )}
        {f.line > 0 && (
          <Text size="sm" c="dimmed">
            {say("line", { n: f.line })}
          </Text>
        )}
        <Anchor size="sm" href={`/docs/webcoding#findings:~:text=${encodeURIComponent(f.code).replaceAll("-", "%2D")}`} target="_blank" rel="noreferrer">
          {f.code}
        </Anchor>
      </Group>
      <Text size="sm" lang="en" style={{ overflowWrap: "anywhere" }}>
        {f.detail}
      </Text>
      {f.line > 0 && lines && <Excerpt lines={lines} line={f.line} label={`${f.path}, ${say("line", { n: f.line })}: ${f.code}`} />}
    </Stack>
  );
}

// Excerpt is a line of a file with those around it.
function Excerpt({ lines, line, label }: { lines: string[]; line: number; label: string }) {
  const from = Math.max(1, line - around);
  return (
    <pre tabIndex={0} role="group" aria-label={label} dir="ltr" className="source">
      {lines.slice(from - 1, line + around).map((text, i) => (
        <span key={i} data-at={from + i === line || undefined}>
          <span data-n={from + i} />
          {text.replace(/\r$/, "").slice(0, mostCharacters)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
