import { Alert, Checkbox, Grid, Select, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { answer, api, Refusal, type Fault } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure, faultText } from "../../frame/Failure";
import { manages, passportQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton, ShopLink } from "../../parts/Heading";
import { inputsOf } from "../../parts/inputs";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { SectionTree, treeQuery } from "../../parts/sections";
import { useEdit } from "../../parts/useEdit";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/sitefiles";
import { FileState } from "./badges";
import { fileQuery, templatesQuery, type FullFile } from "./data";
import { bodyOf, empty, fieldAt, isPage, itemOf, maxBody, valuesOf, type Values } from "./fields";
import { Output } from "./Output";
import { Problems, problemsOf } from "./Problems";
import { Published } from "./Published";
import { usePreview } from "./usePreview";

const CodeEditor = lazy(() => import("../../parts/CodeEditor"));

// SiteFilePage is the page of one site file, or of a new one.
export function SiteFilePage() {
  const { shop, id } = useParams({ from: "/$shop/site-files/$id" });
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const file = useQuery({ ...fileQuery(shop, id), enabled: numeric });
  if (id !== "new" && !numeric) return <Failure page error={null} />;
  if (file.isError && !file.data) return <Failure page error={file.error} retry={() => void file.refetch()} />;
  if (!passport.data || (numeric && !file.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} file={file.data} passport={passport.data} />;
}

// placed gives a refusal of the whole file a place in the form.
function placed(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.faults.length > 0 || !error.code.startsWith("SITE_FILE")) return error;
  const place = error.code === "SITE_FILE_CATEGORY_NOT_FOUND" ? "category_id" : "name";
  return new Refusal(error.status, error.code, error.detail, [{ code: error.code, place, detail: error.detail }], error.body);
}

function Form({ shop, file, passport }: { shop: string; file: FullFile | undefined; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (file ? valuesOf(file) : empty), [file]);
  const edit = useEdit<Values>(`${shop}/site-file/${file?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.site_files_write || !manages(passport);
  const [asking, setAsking] = useState(false);
  const [goal, setGoal] = useState<{ line: number }>();
  const preview = usePreview(shop, values.name.trim(), values.body);
  const problems = useMemo(() => problemsOf(preview.data, say), [preview.data, say]);
  const path = file ? `/site-files/${file.id}` : "/site-files";
  useShownCall(
    file && !edit.dirty ? { method: "GET", path } : file ? { method: "PATCH", path, body: { ...itemOf(values, edit.changed), expected_updated_at: file.updated_at } } : { method: "POST", path, body: bodyOf(values) },
  );

  function put(saved: FullFile) {
    queries.setQueryData(fileQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "site-files"] });
  }
  async function send(changed: (keyof Values)[], from: FullFile | undefined): Promise<FullFile> {
    try {
      if (!from) return await answer(api.POST("/site-files", { body: bodyOf(values) }));
      return await answer(api.PATCH("/site-files/{id}", { params: { path: { id: from.id } }, body: { ...itemOf(values, changed), expected_updated_at: from.updated_at } }));
    } catch (error) {
      throw placed(error);
    }
  }
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/site-files/{id}", { params: { path: { id: file!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "site-files"] });
      told(say, say("fileRemoved", { name: file!.name }));
      void navigate({ to: "/$shop/site-files", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });
  const reason = (f: Fault) => {
    const word = `is_${f.code}`;
    return word in words ? say(word as WordOf<typeof words>, { detail: f.detail }) : faultText(f, say);
  };
  const labels: Record<keyof Values, string> = { name: say("fileName"), category_id: say("section"), body: say("body"), is_published: say("published"), in_sitemap: say("inSitemap") };
  const bytes = useMemo(() => new TextEncoder().encode(values.body).length, [values.body]);
  return (
    <Stack>
      <Heading back={{ to: "/$shop/site-files", label: say("siteFiles") }} title={file?.name ?? say("newFile")} state={file && <FileState file={file} />}>
        {file?.is_published && file.url && <ShopLink href={file.url} />}
        {file && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      <EditForm
        edit={edit}
        base={file}
        locked={locked}
        fieldsOf={valuesOf}
        fieldAt={fieldAt}
        reason={reason}
        labels={labels}
        show={(name, value) => (typeof value === "boolean" ? say(value ? "on" : "off") : name === "body" ? String(value).slice(0, 400) : String(value))}
        send={send}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!file) void navigate({ to: "/$shop/site-files/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => {
          const inputs = inputsOf(edit, faults, locked, labels);
          return (
            <Grid>
              <Grid.Col span={{ base: 12, lg: 7 }}>
                <Stack>
                  {file?.orphaned && (
                    <Alert color="orange" variant="light">
                      {say("orphanedText")}
                    </Alert>
                  )}
                  <Panel title={say("place")}>
                    {!file && !locked && <Begin shop={shop} onChoose={(t) => (edit.set("body", t.body), edit.set("name", t.path.replace(/^.*\//, "")))} />}
                    <TextInput {...inputs.text("name", 130)} description={say("nameHint")} required dir="ltr" spellCheck={false} placeholder="feed.xml" />
                    <Place shop={shop} {...inputs.choice("category_id")} />
                    <Checkbox {...inputs.flag("is_published")} description={say("publishedHint")} />
                    {isPage(values.name.trim()) && <Checkbox {...inputs.flag("in_sitemap")} description={say("inSitemapHint")} />}
                  </Panel>
                  <Suspense fallback={<Skeleton h={320} />}>
                    <CodeEditor
                      label={say("body")}
                      value={values.body}
                      onChange={(body) => edit.set("body", body)}
                      readOnly={locked}
                      error={faults.body ?? (bytes > maxBody ? say("is_SITE_FILE_BODY_TOO_LARGE") : undefined)}
                      problems={problems}
                      goal={goal}
                    />
                  </Suspense>
                  <Text size="xs" c="dimmed">
                    {say("bytes", { n: bytes.toLocaleString(language) })}
                  </Text>
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, lg: 5 }}>
                <Stack>
                  {file && <Published file={file} store={passport.store} dirty={edit.dirty} />}
                  <Problems shop={shop} preview={preview.data} problems={problems} onLine={(line) => setGoal({ line })} />
                  <Output preview={preview} named={values.name.trim() !== ""} />
                </Stack>
              </Grid.Col>
            </Grid>
          );
        }}
      </EditForm>
      {asking && <Ask title={say("removeFile", { name: file!.name })} text={say("removeFileText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

// Begin offers the templates of the program.
function Begin({ shop, onChoose }: { shop: string; onChoose: (template: { body: string; path: string }) => void }) {
  const { say } = useWords(words);
  const { data: templates } = useQuery(templatesQuery(shop));
  return (
    <Select
      label={say("begin")}
      description={say("beginHint")}
      data={(templates ?? []).map((t) => ({ value: t.key, label: `template_${t.key}` in words ? say(`template_${t.key}` as WordOf<typeof words>) : t.name }))}
      onChange={(key) => {
        const chosen = templates?.find((t) => t.key === key);
        if (chosen) onChoose(chosen);
      }}
    />
  );
}

// Place chooses the section below whose address the file is.
function Place({ shop, ...field }: { shop: string; label: string | undefined; value: string; onChange: (v: string | null) => void; error: string | undefined; readOnly: boolean; allowDeselect: boolean }) {
  const { say } = useWords(words);
  const { data } = useQuery(treeQuery(shop));
  const tree = useMemo(() => new SectionTree((data ?? []).filter((s) => !s.is_deleted)), [data]);
  const options = tree.list.filter((s) => !s.is_home).map((s) => ({ value: String(s.id), label: `${s.name} (${tree.pathOf(s)})` }));
  return <Select {...field} data={[{ value: "0", label: say("root") }, ...options]} searchable limit={100} nothingFoundMessage={say("nothingFound")} />;
}
