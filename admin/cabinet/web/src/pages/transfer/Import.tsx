import { Button, Card, Checkbox, FileInput, Group, Select, Stack, Text, Title } from "@mantine/core";
import { IconFileSpreadsheet } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { firstLine, save } from "../../api/download";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/transfer";
import { formats, type Kind, type Options } from "./kinds";
import { Preview } from "./Preview";

const encodings = ["windows-1250", "windows-1251", "windows-1252"];

// Import shows what a file would do, and then does it.
export function Import({ shop, kinds, first }: { shop: string; kinds: Kind[]; first: Kind }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [kind, setKind] = useState(first);
  const [file, setFile] = useState<File | null>(null);
  const [options, setOptions] = useState<Options>({ prices: "units", encoding: "", format: "csv", external: false });

  const check = useMutation({ mutationFn: (w: { file: File; kind: Kind; options: Options }) => w.kind.run!(w.file, w.options, true) });
  const run = useMutation({
    mutationFn: () => kind.run!(file!, options, false),
    onSuccess: async (report) => {
      told(say, say("imported", { created: report.created, updated: report.updated }));
      await queries.invalidateQueries({ queryKey: [shop] });
    },
    onError: (error) => failed(say, error),
  });
  const template = useMutation({
    mutationFn: async () => save(new Blob([await firstLine(kind.exports)], { type: "text/csv" }), kind.file),
    onError: (error) => failed(say, error),
  });
  useShownCall({ method: "POST", path: kind.imports!, ...(kind.body ? { body: kind.body("…", options, true) } : { file: file?.name ?? kind.file }) });

  // begin checks a file whenever what is asked of it changes.
  function begin(w: { file?: File | null; kind?: Kind; options?: Options }) {
    const next = { file, kind, options, ...w };
    setFile(next.file);
    setKind(next.kind);
    setOptions(next.options);
    run.reset();
    check.reset();
    if (next.file) check.mutate({ ...next, file: next.file });
  }

  const report = run.data ?? check.data;
  return (
    <Card component="section" withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {say("importTitle")}
        </Title>
        <Text size="sm" c="dimmed">
          {say("importText")}
        </Text>
        <Group align="flex-end">
          <Select
            label={say("what")}
            data={kinds.map((k) => ({ value: k.word, label: say(k.word) }))}
            value={kind.word}
            allowDeselect={false}
            onChange={(w) => begin({ kind: kinds.find((k) => k.word === w)!, file: null })}
          />
          <FileInput
            label={say("file")}
            placeholder={say("chooseFile")}
            accept={kind.options?.includes("format") ? undefined : ".csv,.tsv,.txt,text/csv"}
            leftSection={<IconFileSpreadsheet size={16} />}
            clearable
            clearButtonProps={{ "aria-label": say("clear") }}
            value={file}
            onChange={(f) => begin({ file: f })}
            w={260}
          />
          <Button variant="default" loading={template.isPending} onClick={() => template.mutate()}>
            {say("template")}
          </Button>
        </Group>
        {kind.options?.includes("format") && (
          <Group align="flex-end">
            <Select
              label={say("format")}
              description={say("formatHint")}
              data={formats.map((value) => ({ value, label: say(`format_${value}`) }))}
              value={options.format}
              allowDeselect={false}
              onChange={(format) => begin({ options: { ...options, format: format as Options["format"] } })}
              w={260}
            />
            <Checkbox label={say("external")} checked={options.external} onChange={(e) => begin({ options: { ...options, external: e.currentTarget.checked } })} mb={8} />
          </Group>
        )}
        {kind.options?.includes("prices") && (
          <Group align="flex-end">
            <Select
              label={say("pricesAre")}
              data={[
                { value: "units", label: say("pricesUnits") },
                { value: "decimal", label: say("pricesDecimal") },
              ]}
              value={options.prices}
              allowDeselect={false}
              onChange={(prices) => begin({ options: { ...options, prices: prices as Options["prices"] } })}
              w={260}
            />
            <Select
              label={say("encoding")}
              data={[{ value: "", label: "UTF-8, UTF-16" }, ...encodings]}
              value={options.encoding}
              allowDeselect={false}
              onChange={(encoding) => begin({ options: { ...options, encoding: encoding ?? "" } })}
            />
          </Group>
        )}
        {check.isPending && <Text role="status">{say("checking")}</Text>}
        {check.isError && <Failure error={check.error} />}
        {report && (
          <Preview report={report} done={run.isSuccess} file={kind.file}>
            {!run.isSuccess && (
              <Button disabled={report.created + report.updated === 0} loading={run.isPending} onClick={() => run.mutate()}>
                {say("runImport", { n: report.created + report.updated })}
              </Button>
            )}
          </Preview>
        )}
      </Stack>
    </Card>
  );
}
