import { Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { Unkept } from "../../parts/kept";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { Secret } from "../../parts/Secret";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { eventsQuery, webhookQuery, webhooksQuery, type Webhook as Hook } from "./data";
import { Health } from "./Health";
import { Journal } from "./Journal";
import { WebhookFields, type Fields } from "./WebhookFields";
import { WebhookState } from "./WebhookState";

const empty: Fields = { url: "", events: [], is_active: true, secret: new Unkept("") };
const fieldsOf = (w: Hook | undefined): Fields => (w ? { ...empty, url: w.url, events: w.events, is_active: w.is_active } : empty);
const hidden = "…";
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.startsWith(name));

// Webhook is the page of one subscription, or of a new one, whose secret is shown once.
export function Webhook() {
  const { shop, id } = useParams({ from: "/$shop/integrations/webhooks/$id" });
  const { say } = useWords(words);
  const [made, setMade] = useState<Hook>();
  return (
    <ObjectPage shop={shop} id={id} query={webhookQuery(shop, id)}>
      {(passport, hook) => (
        <Form key={shop + id} shop={shop} hook={hook} passport={passport} onMade={setMade}>
          {made?.id === id && (
            <Secret
              title={say("secret")}
              values={[
                { label: say("secretOwn"), value: made.secret ?? "" },
                { label: say("secretStandard"), value: made.standard_secret ?? "" },
              ]}
              onKept={() => setMade(undefined)}
            />
          )}
        </Form>
      )}
    </ObjectPage>
  );
}

function Form({ shop, hook, passport, onMade, children }: { shop: string; hook: Hook | undefined; passport: Passport; onMade: (made: Hook) => void; children: ReactNode }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const search = useSearch({ from: "/$shop/integrations/webhooks/$id" });
  const events = useQuery(eventsQuery);
  const base = useMemo(() => fieldsOf(hook), [hook]);
  const edit = useEdit<Fields>(`${shop}/webhook/${hook?.id ?? "new"}`, base);
  const { values } = edit;
  const [asking, setAsking] = useState(false);
  const manager = manages(passport);
  const mayReceive = (name: string) => manager || events.data?.find((e) => e.event === name)?.sensitivity === "public";
  const locked = hook !== undefined && events.data !== undefined && !hook.events.every(mayReceive);

  const bodyOf = (changed: (keyof Fields)[], from: Hook | undefined) => {
    const { secret, ...others } = values;
    const item = { ...others, ...(secret.value && { secret: secret.value }) };
    return from ? { ...Object.fromEntries(Object.entries(item).filter(([n]) => changed.includes(n))), expected_updated_at: from.updated_at } : item;
  };
  const path = hook ? `/webhooks/${hook.id}` : "/webhooks";
  useShownCall({ ...(hook && !edit.dirty ? { method: "GET" } : { method: hook ? "PUT" : "POST", body: { ...bodyOf(edit.changed, hook), ...(values.secret.value && { secret: hidden }) } }), path, session: true });

  const put = (saved: Hook) => {
    queries.setQueryData(webhookQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: webhooksQuery(shop).queryKey });
  };
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/webhooks/{id}", { params: { path: { id: hook!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: webhooksQuery(shop).queryKey });
      told(say, `${hook!.url}: ${say("deleted")}`);
      void navigate({ to: "/$shop/integrations/webhooks", params: { shop } });
    },
    onError: (error) => failed(say, error),
    onSettled: () => setAsking(false),
  });

  return (
    <Stack maw={960}>
      <Heading
        back={{ to: "/$shop/integrations/webhooks", label: say("webhooks") }}
        title={hook ? new URL(hook.url).host : say("newWebhook")}
        state={hook && <WebhookState webhook={hook} />}
      >
        {hook && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      {children}
      {hook && <Health shop={shop} hook={hook} zone={passport.store.timezone} locked={locked} onChanged={put} />}
      {events.isError ? (
        <Failure error={events.error} retry={() => void events.refetch()} />
      ) : events.data ? (
        <EditForm
          edit={edit}
          base={hook}
          locked={locked}
          fieldsOf={fieldsOf}
          fieldAt={fieldAt}
          labels={{ url: say("address"), events: say("events"), is_active: say("switchedOn"), secret: say("secret") }}
          show={(_, value) => (value instanceof Unkept ? hidden : typeof value === "boolean" ? say(value ? "on" : "off") : Array.isArray(value) ? value.join(", ") : String(value))}
          send={async (changed, from) => {
            if (from) return (await answer(api.PUT("/webhooks/{id}", { params: { path: { id: from.id } }, body: bodyOf(changed, from) }))).result;
            return (await answer(api.POST("/webhooks", { body: { url: values.url, events: values.events, ...bodyOf([], undefined) } }))).result;
          }}
          onTheirs={put}
          onSaved={(saved) => {
            const { secret, standard_secret, ...kept } = saved;
            put(kept);
            if (!secret || !standard_secret) return;
            onMade(saved);
            void navigate({ to: "/$shop/integrations/webhooks/$id", params: { shop, id: saved.id }, replace: true });
          }}
        >
          {(faults) => <WebhookFields edit={edit} faults={faults} events={events.data} mayReceive={mayReceive} isNew={!hook} locked={locked} />}
        </EditForm>
      ) : (
        <Skeleton h={320} />
      )}
      {hook && <Journal shop={shop} hook={hook} zone={passport.store.timezone} locked={locked} search={search} onSearch={(search) => void navigate({ to: ".", search })} />}
      {asking && <Ask title={`${say("remove")}: ${hook!.url}`} text={say("deleteWebhookText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}
