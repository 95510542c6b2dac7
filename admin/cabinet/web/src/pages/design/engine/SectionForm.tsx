import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { answer, api } from "../../../api/client";
import { useWords } from "../../../words";
import { words } from "../../../words/design";
import { fieldsOf, type Schema } from "../kinds";
import type { Reference } from "../reference";
import { entryOf, kindOf, read, settingsPath, unread, written, type Block, type Section } from "../sections";
import { AroundContext, nameOf } from "./context";
import { Fold } from "./Fold";
import { Fields, isStyle, ListField, Unread } from "./groups";
import { Field } from "./inputs";

const at = "sections[0].payload.props";

// SectionForm is the form of one section, made of the reference of its kind. What it does not know
// is shown and kept.
export default function SectionForm({ shop, section, reference, blocks, locked, onChange }: { shop: string; section: Section; reference: Reference; blocks: Block[]; locked: boolean; onChange: (section: Section) => void }) {
  const { say, language } = useWords(words);
  const kind = kindOf(section);
  const entry = entryOf(reference, kind);
  const [asked] = useDebouncedValue(section, 400);
  const report = useQuery({
    queryKey: ["validate", asked],
    queryFn: ({ signal }) => answer(api.POST("/docs/validate", { body: { sections: [asked] }, signal })),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  });
  const around = useMemo(() => ({ shop, language, locked, blocks, findings: report.data?.result ?? [] }), [shop, language, locked, blocks, report.data]);
  const write = (path: (string | number)[], to: unknown) => onChange(written(section, path, to) as Section);
  const where = entry ? settingsPath(entry) : [];
  const settings = read(section, where);
  const problems = around.findings.filter((f) => f.status !== "applied").length;
  return (
    <AroundContext value={around}>
      <Stack gap="sm">
        {!entry && <Text size="sm">{say("unknownKind", { kind })}</Text>}
        {entry && !entry.props && !entry.mount && !entry.items && <Text size="sm">{say("noSettings")}</Text>}
        {entry?.items && (
          <ListField name="items" label={say("items")} schema={{ type: "array", items: entry.items }} value={read(section, ["items"])} path="sections[0].items" max={entry.maxItems} onChange={(v) => write(["items"], v ?? [])} />
        )}
        {Object.entries(entry?.mount ?? {}).map(([path, schema]) => {
          const name = path.split(".").at(-1)!;
          return <Field key={path} name={name} label={nameOf(name, language)} schema={schema} value={read(section, ["payload", ...path.split(".")])} path={`sections[0].payload.${path}`} onChange={(v) => write(["payload", ...path.split(".")], v)} />;
        })}
        {entry?.props && <Settings schema={entry.props} value={settings} path={["sections[0]", ...where].join(".")} onChange={(v) => write(where, v)} />}
        {entry && !(entry.legacy ?? "") && !["group", "columns"].includes(kind) && <Box reference={reference} section={section} write={write} />}
        <Unread list={unread(section, entry, reference)} onRemove={(path) => write(path, undefined)} />
        <Text size="xs" c="dimmed" aria-live="polite">
          {report.data && say(problems === 0 ? "valid" : "problems", { n: problems })}
        </Text>
      </Stack>
    </AroundContext>
  );
}

const first = /^(title|titleText|titleTag|bodyText|buttonText|buttonUrl|text|source|columns|layout|limit|categoryId|productId|formId|template|logoId|phone|copyright|level2|view|productRefs|count|cells|widgets|show\w*|hide\w*)$/;

// Settings shows what most people change, and the rest on demand.
function Settings({ schema, value, path, onChange }: { schema: Schema; value: unknown; path: string; onChange: (v: unknown) => void }) {
  const { say } = useWords(words);
  const fields = fieldsOf(schema);
  const isFirst = ([name, s]: [string, Schema]) => first.test(name) && !isStyle(s);
  const some = (keep: (field: [string, Schema]) => boolean): Schema => ({ ...schema, properties: Object.fromEntries(fields.filter(keep)) });
  const rest = some((f) => !isFirst(f));
  return (
    <>
      <Fields schema={some(isFirst)} value={value} path={path} onChange={onChange} />
      {fieldsOf(rest).length > 0 && (
        <Fold title={say("moreSettings")}>
          <Fields schema={rest} value={value} path={path} onChange={onChange} />
        </Fold>
      )}
    </>
  );
}

// Box is the box around a block, for each width of a screen.
function Box({ reference, section, write }: { reference: Reference; section: Section; write: (path: string[], to: unknown) => void }) {
  const { say } = useWords(words);
  const [layer, setLayer] = useState("");
  const path = ["payload", "props", ...(layer ? [layer] : [])];
  // A kind may have a setting with the name of an axis; then its own field is above.
  return (
    <Fold title={say("box")}>
      <Stack gap="sm">
        <SegmentedControl size="xs" aria-label={say("boxOn")} data={["", ...reference.wrapper.layers].map((l) => ({ value: l, label: say(`box_${l || "computer"}` as "box_computer") }))} value={layer} onChange={setLayer} />
        <Fields key={layer} schema={reference.wrapper.props} value={read(section, path)} path={layer ? `${at}.${layer}` : at} onChange={(v) => write(path, layer && typeof v === "object" && v !== null && Object.keys(v).length === 0 ? undefined : (v ?? {}))} />
      </Stack>
    </Fold>
  );
}
