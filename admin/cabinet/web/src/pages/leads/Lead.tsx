import { Alert, Card as Panel, Grid, SegmentedControl, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/leads";
import { Answers, Files, Origin } from "./Answers";
import { deleteLead, formsQuery, leadQuery, saveLead, titleOf, type Form, type Lead } from "./data";
import { statuses, type Status } from "./search";
import { StatusBadge } from "./StatusBadge";

// LeadPage is one lead with all that was sent. Opening a new one marks it as read.
export function LeadPage() {
  const { shop, id } = useParams({ from: "/$shop/leads/$id" });
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const lead = useQuery({ ...leadQuery(shop, id), enabled: numeric });
  const forms = useQuery({ ...formsQuery(shop), enabled: passport.data?.capabilities.forms_read ?? false });
  if (!numeric) return <Failure page error={null} />;
  if (lead.isError && !lead.data) return <Failure page error={lead.error} retry={() => void lead.refetch()} />;
  if (!passport.data || !lead.data || forms.isLoading) return <Skeleton h={320} />;
  return <One key={shop + id} shop={shop} lead={lead.data} form={forms.data?.find((f) => f.id === lead.data.form_id)} passport={passport.data} />;
}

function One({ shop, lead, form, passport }: { shop: string; lead: Lead; form: Form | undefined; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  const narrow = useMediaQuery("(max-width: 48em)");
  const base = useMemo(() => ({ note: lead.note }), [lead.note]);
  const edit = useEdit<{ note: string }>(`${shop}/lead/${lead.id}`, base);
  const [asking, setAsking] = useState(false);
  const locked = !passport.capabilities.leads_write;
  const title = titleOf(lead, form) || say("emptyLead");
  const why = `why_${lead.spam_reason}`;
  const path = `/form-leads/${lead.id}`;
  useShownCall(edit.dirty ? { method: "PUT", path, body: { note: edit.values.note, expected_updated_at: lead.updated_at } } : { method: "GET", path });

  const put = (saved: Lead) => {
    queries.setQueryData(leadQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "leads"] });
    void queries.invalidateQueries({ queryKey: [shop, "today"] });
  };
  const onError = (error: unknown) => failed(say, error);
  const back = () => (history.canGoBack() ? history.back() : void navigate({ to: "/$shop/leads", params: { shop } }));
  const move = useMutation({
    mutationFn: (status: Status) => saveLead(lead, { status }),
    onSuccess: (saved, status) => {
      put(saved);
      told(say, say("nowIs", { what: title, state: say(`status_${status}`) }), () => saveLead(saved, { status: lead.status }).then(put));
      if (status === "done" && !edit.dirty) back();
    },
    onError: (error) => {
      onError(error);
      void queries.invalidateQueries({ queryKey: [shop, "lead", lead.id] }); // somebody else may have moved it
    },
  });
  const read = useMutation({ mutationFn: () => saveLead(lead, { status: "seen" }), onSuccess: put, onError });
  const opened = useRef(false);
  useEffect(() => {
    if (opened.current) return;
    opened.current = true;
    if (lead.status === "new" && !locked) read.mutate();
  }, [lead.status, locked, read]);

  const remove = useMutation({
    mutationFn: () => deleteLead(lead.id),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "leads"] });
      told(say, say("removed", { n: 1 }));
      back();
    },
    onError,
  });

  return (
    <Stack maw={1080}>
      <Heading
        back={{ to: "/$shop/leads", label: say("leads") }}
        title={title}
        state={
          <>
            <Text size="sm" c="dimmed" dir="auto">
              {[lead.form_name, dateText(lead.created_at, passport.store.timezone, language)].join(" · ")}
            </Text>
            {(locked || lead.test) && <StatusBadge lead={lead} />}
          </>
        }
      >
        {!locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      {lead.status === "spam" && (
        <Alert color="orange" variant="light">
          {say(why in words ? (why as keyof typeof words) : "status_spam")}
        </Alert>
      )}
      {!locked && (
        <SegmentedControl
          aria-label={say("state")}
          data={statuses.map((value) => ({ value, label: say(`status_${value}`) }))}
          value={lead.status}
          onChange={(v) => move.mutate(v as Status)}
          disabled={move.isPending || read.isPending}
          fullWidth={narrow ?? false}
          style={{ alignSelf: narrow ? "stretch" : "flex-start" }}
        />
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <Answers shop={shop} lead={lead} form={form} finds={passport.capabilities.customers_read ?? false} />
            {lead.files.length > 0 && <Files lead={lead} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <EditForm
              edit={edit}
              base={lead}
              locked={locked}
              fieldsOf={(l) => ({ note: l.note })}
              fieldAt={(place) => (place.includes("note") ? "note" : undefined)}
              labels={{ note: say("note") }}
              show={(_, value) => String(value ?? "")}
              send={(_, from) => saveLead(from ?? lead, { note: edit.values.note })}
              onTheirs={put}
              onSaved={put}
            >
              {(faults) => (
                <Panel withBorder>
                  <Textarea label={say("note")} description={say("noteHint")} value={edit.values.note} onChange={(e) => edit.set("note", e.currentTarget.value)} error={faults.note} readOnly={locked} maxLength={5000} autosize minRows={3} maxRows={16} dir="auto" />
                </Panel>
              )}
            </EditForm>
            <Origin lead={lead} zone={passport.store.timezone} />
          </Stack>
        </Grid.Col>
      </Grid>
      {asking && <Ask title={say("deleteLead")} text={say("deleteText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}
