import "./websites.css";
import { Accordion, Badge, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Failure } from "../../frame/Failure";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { changesQuery, releasesQuery, websiteKey } from "./data";
import { calls, isText, type Kind, type Release } from "./kinds";

const shown = 200; // files of each kind

// Changes says what a release changes from another one, by default from the live one.
export function Changes({ shop, kind, id, release, active }: { shop: string; kind: Kind; id: string; release: Release; active: string }) {
  const { say } = useWords(words);
  const { from } = useSearch({ from: "/$shop/websites/$kind/$id/$release" });
  const navigate = useNavigate({ from: "/$shop/websites/$kind/$id/$release" });
  const releases = useQuery(releasesQuery(shop, kind, id));
  const others = (releases.data ?? []).filter((r) => r.id !== release.id);
  const before = others.find((r) => r.published_at !== null && Number(r.id) < Number(release.id));
  const base = from !== undefined ? String(from) : active !== "0" && active !== release.id ? active : (before ?? others[0])?.id;
  const changes = useQuery({ ...changesQuery(shop, kind, id, base ?? "0", release.id), enabled: base !== undefined });
  const [opened, setOpened] = useState<string[]>([]);
  if (!releases.data) return releases.isError ? <Failure error={releases.error} /> : <Skeleton h={200} />;
  if (base === undefined) return <Text size="sm">{say("nothingToCompare")}</Text>;
  const lists = changes.data && ([["added", changes.data.added, changes.data.added_total], ["removed", changes.data.removed, changes.data.removed_total], ["changed", changes.data.changed, changes.data.changed_total]] as const);
  return (
    <Stack>
      <Select
        label={say("compareWith")}
        data={others.map((r) => ({ value: r.id, label: say("release", { id: r.id }) + (r.active ? ` (${say("live")})` : "") }))}
        value={base}
        allowDeselect={false}
        maw={320}
        onChange={(v) => void navigate({ search: (old) => ({ ...old, from: Number(v) }), replace: true })}
      />
      {changes.isError && <Failure error={changes.error} retry={() => void changes.refetch()} />}
      {changes.isPending && <Skeleton h={160} />}
      {lists && lists.every(([, , n]) => n === 0) && <Text size="sm">{say("same")}</Text>}
      {lists?.map(
        ([word, list, total]) =>
          total > 0 && (
            <Stack key={word} gap="xs">
              <Text size="sm" fw={600}>
                {say(`files_${word}`, { n: total })}
              </Text>
              {word === "changed" ? (
                <Accordion multiple order={2} variant="separated" value={opened} onChange={setOpened}>
                  {list.slice(0, shown).map((f) => (
                    <Accordion.Item key={f.path} value={f.path}>
                      <Accordion.Control>
                        <Name {...f} />
                      </Accordion.Control>
                      <Accordion.Panel>{opened.includes(f.path) && <TextChanges shop={shop} kind={kind} id={id} from={base} release={release} path={f.path} />}</Accordion.Panel>
                    </Accordion.Item>
                  ))}
                </Accordion>
              ) : (
                list.slice(0, shown).map((f) => <Name key={f.path} {...f} />)
              )}
              {total > shown && (
                <Text size="sm" c="dimmed">
                  {say("moreFiles", { n: total - Math.min(shown, list.length) })}
                </Text>
              )}
            </Stack>
          ),
      )}
    </Stack>
  );
}

function Name({ path, size, size_before }: { path: string; size: string; size_before: string }) {
  const { language } = useWords();
  const [before, after] = [Number(size_before), Number(size)];
  return (
    <Group gap="xs">
      <Text size="sm" dir="ltr" style={{ overflowWrap: "anywhere" }}>
        {path}
      </Text>
      <Badge tt="none" variant="light" color="gray">
        {before && after ? `${sizeText(before, language)} → ${sizeText(after, language)}` : sizeText(before || after, language)}
      </Badge>
    </Group>
  );
}

const mostCharacters = 2_000_000; // of both texts; the API sends at most 2 MiB of a file
const mostLines = 400;

// TextChanges shows the lines that differ, with those around them.
function TextChanges({ shop, kind, id, from, release, path }: { shop: string; kind: Kind; id: string; from: string; release: Release; path: string }) {
  const { say } = useWords(words);
  const text = isText(release.files.find((f) => f.path === path)?.mime ?? "");
  const hunks = useQuery({
    queryKey: [...websiteKey(shop, kind, id), "text", from, release.id, path],
    queryFn: async () => {
      const [a, b, { structuredPatch }] = await Promise.all([calls[kind].file(id, from, path), calls[kind].file(id, release.id, path), import("diff")]);
      if (a.length + b.length > mostCharacters) return null;
      return structuredPatch(path, path, a, b, undefined, undefined, { context: 3, timeout: 2000 })?.hunks ?? null;
    },
    enabled: text,
    staleTime: Infinity,
    retry: false,
  });
  if (!text) return <Text size="sm">{say("noText")}</Text>;
  if (hunks.isError) return <Failure error={hunks.error} retry={() => void hunks.refetch()} />;
  if (hunks.isPending) return <Skeleton h={80} />;
  if (!hunks.data) return <Text size="sm">{say("tooDifferent")}</Text>;
  const lines = hunks.data.flatMap((h) => ["@", ...h.lines]).slice(1);
  return (
    <>
      <pre className="source" tabIndex={0} role="region" aria-label={path} dir="ltr">
        {lines.slice(0, mostLines).map((line, i) => (
          <span key={i} data-sign={line === "@" ? "…" : line[0]}>
            {line.slice(1, 2000).replace(/\r$/, "")}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > mostLines && <Text size="sm">{say("firstLines", { n: mostLines })}</Text>}
    </>
  );
}
