import { Alert, Button, Card as Panel, Grid, Group, SegmentedControl, Select, Skeleton, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconRotate2 } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { EditForm } from "../../parts/EditForm";
import { Heading } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/letters";
import { dataGroups, recipientOf, templateQuery, templatesQuery, titleOf, whenOf, type Template } from "./data";
import { LetterFrame } from "./LetterFrame";
import { TextState } from "./Letters";

interface Fields extends Record<string, unknown> {
  subject: string;
  text: string;
  html: string;
}

type Part = keyof Fields & ("subject" | "text" | "html");
const parts: Part[] = ["subject", "text", "html"];
const fieldsOf = ({ subject, text, html }: Template): Fields => ({ subject, text, html });
const fieldAt = (place: string) => parts.find((p) => p === place);

// Letter is the page of the template of one letter.
export function Letter() {
  const { shop, name } = useParams({ from: "/$shop/letters/$name" });
  const template = useQuery(templateQuery(shop, name));
  if (template.isError && !template.data) return <Failure page error={template.error} retry={() => void template.refetch()} />;
  if (!template.data) return <Skeleton h={480} />;
  return <Form key={shop + name} shop={shop} template={template.data} />;
}

function Form({ shop, template }: { shop: string; template: Template }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { name } = template;
  const base = useMemo(() => fieldsOf(template), [template]);
  const edit = useEdit<Fields>(`${shop}/letter/${name}`, base);
  const { values } = edit;
  const path = { params: { path: { name } } };
  const inputs = useRef<Partial<Record<Part, HTMLInputElement | HTMLTextAreaElement | null>>>({});
  const [last, setLast] = useState<Part>("text");

  const [typed] = useDebouncedValue(values, 400);
  const preview = useQuery({
    queryKey: [shop, "letter", name, "preview", typed],
    queryFn: async ({ signal }) => (await answer(api.POST("/v1/shop/letters/{name}/preview", { ...path, body: typed, signal }))).result,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const fault = preview.error instanceof Refusal ? preview.error.faults[0] : undefined;
  const live = (part: Part) => (fault?.place === part ? fault.detail || fault.code : undefined);

  const bodyOf = (changed: (keyof Fields)[], from: Template) => ({ ...Object.fromEntries(parts.filter((p) => changed.includes(p)).map((p) => [p, values[p]])), expected_updated_at: from.updated_at });
  useShownCall(edit.dirty ? { method: "PUT", path: `/v1/shop/letters/${name}`, body: bodyOf(edit.changed, template) } : { method: "GET", path: `/v1/shop/letters/${name}` });

  function put(saved: Template) {
    queries.setQueryData(templateQuery(shop, name).queryKey, saved);
    void queries.invalidateQueries({ queryKey: templatesQuery(shop).queryKey });
  }
  const reset = useMutation({
    mutationFn: async () => (await answer(api.DELETE("/v1/shop/letters/{name}", path))).result,
    onSuccess: (standard) => {
      edit.done();
      put(standard);
      const { subject, text, html } = template;
      told(say, say("wasReset"), async () => put((await answer(api.PUT("/v1/shop/letters/{name}", { ...path, body: { subject, text, html } }))).result));
    },
    onError: (error) => failed(say, error),
  });

  // insert puts data where the cursor was last.
  function insert(data: string) {
    const input = inputs.current[last];
    const [from, to] = [input?.selectionStart ?? values[last].length, input?.selectionEnd ?? values[last].length];
    edit.set(last, values[last].slice(0, from) + data + values[last].slice(to));
    requestAnimationFrame(() => {
      input?.focus();
      input?.setSelectionRange(from + data.length, from + data.length);
    });
  }
  const field = (part: Part, error: string | undefined) => ({
    label: say(part),
    value: values[part],
    ref: (e: HTMLInputElement | HTMLTextAreaElement | null) => void (inputs.current[part] = e),
    onFocus: () => setLast(part),
    onChange: (e: { currentTarget: { value: string } }) => edit.set(part, e.currentTarget.value),
    error: live(part) ?? error,
    dir: "auto" as const,
    required: part !== "html",
  });

  return (
    <Stack>
      <Heading
        back={{ to: "/$shop/letters", label: say("letters") }}
        title={`${titleOf(say, name)} · ${recipientOf(say, name)}`}
        state={
          <Group gap="xs">
            <TextState template={template} />
            <Text size="sm" c="dimmed">
              {whenOf(say, name)}
            </Text>
          </Group>
        }
      >
        {template.is_changed && (
          <Button variant="subtle" leftSection={<IconRotate2 size={16} />} loading={reset.isPending} onClick={() => reset.mutate()}>
            {say("reset")}
          </Button>
        )}
      </Heading>
      {template.error && (
        <Alert color="red" variant="light">
          {say("brokenText", { why: template.error })}
        </Alert>
      )}
      <EditForm
        edit={edit}
        base={template}
        locked={false}
        fieldsOf={fieldsOf}
        fieldAt={fieldAt}
        labels={Object.fromEntries(parts.map((p) => [p, say(p)]))}
        show={(_, value) => String(value)}
        send={async (changed, from) => (await answer(api.PUT("/v1/shop/letters/{name}", { ...path, body: bodyOf(changed, from ?? template) }))).result}
        onTheirs={put}
        onSaved={put}
      >
        {(faults) => (
          <Grid>
            <Grid.Col span={{ base: 12, lg: 6 }}>
              <Panel withBorder>
                <Stack>
                  <Select
                    label={say("insert")}
                    description={say("insertHint")}
                    data={dataGroups(say, template.fields)}
                    value={null}
                    onChange={(v) => v && insert(v)}
                    searchable
                    nothingFoundMessage={say("nothingFound")}
                    maxDropdownHeight={320}
                  />
                  <TextInput {...field("subject", faults.subject)} />
                  <Textarea {...field("text", faults.text)} description={say("textHint")} autosize minRows={6} maxRows={16} />
                  <Textarea {...field("html", faults.html)} description={say("htmlHint")} autosize minRows={8} maxRows={20} styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }} />
                </Stack>
              </Panel>
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 6 }}>
              <Preview query={preview} />
            </Grid.Col>
          </Grid>
        )}
      </EditForm>
    </Stack>
  );
}

// Preview shows the letter as it would be sent, beside the fields. While they have a fault it shows
// what was there before.
function Preview({ query }: { query: { data: { subject: string; text: string; html: string } | undefined; error: unknown; refetch: () => unknown } }) {
  const { say } = useWords(words);
  const [part, setPart] = useState<"html" | "text">("html");
  const known = useRef(query.data);
  known.current = query.data ?? known.current;
  const letter = known.current;
  const isFault = query.error instanceof Refusal && query.error.faults.length > 0;
  return (
    <Panel withBorder pos={{ lg: "sticky" }} top={{ lg: 72 }}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {say("preview")}
          </Title>
          <SegmentedControl
            size="xs"
            aria-label={say("preview")}
            data={[
              { value: "html", label: say("html") },
              { value: "text", label: say("text") },
            ]}
            value={part}
            onChange={(v) => setPart(v as typeof part)}
          />
        </Group>
        <Text size="xs" c="dimmed">
          {say(isFault && letter ? "previewOld" : "previewHint")}
        </Text>
        {query.error !== null && !isFault && <Failure error={query.error} retry={() => void query.refetch()} />}
        {letter ? (
          <>
            <Text fw={600} dir="auto">
              {letter.subject}
            </Text>
            {part === "text" ? (
              <Text size="sm" dir="auto" mah={560} style={{ whiteSpace: "pre-wrap", overflowY: "auto" }} tabIndex={0} role="region" aria-label={say("text")}>
                {letter.text}
              </Text>
            ) : letter.html ? (
              <LetterFrame html={letter.html} title={letter.subject} />
            ) : (
              <Text size="sm">{say("noPage")}</Text>
            )}
          </>
        ) : (
          query.error === null && <Skeleton h={400} />
        )}
      </Stack>
    </Panel>
  );
}
