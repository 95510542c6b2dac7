import { Alert, Button, Card as Panel, Grid, MultiSelect, Paper, Radio, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { ObjectPage } from "../../parts/ObjectPage";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/policies";
import { policyQuery, type PolicyView, type Resource } from "./data";
import { Passwords } from "./Passwords";
import { Resources } from "./Resources";

interface Fields extends Record<string, unknown> {
  name: string;
  kind: PolicyView["kind"];
  group_ids: string[];
  resources: Resource[];
  title: string;
  text: string;
}

const kinds = ["password", "group", "customers"] as const;
const empty: Fields = { name: "", kind: "password", group_ids: [], resources: [], title: "", text: "" };
const fieldsOf = ({ name, kind, group_ids, resources, title, text }: PolicyView): Fields => ({ name, kind, group_ids, resources, title, text });
const fieldAt = (place: string) => Object.keys(empty).find((name) => place.split(/[.[]/)[0] === name);

// Policy is the page of one closed part, or of a new one.
export function Policy() {
  const { shop, id } = useParams({ from: "/$shop/policies/$id" });
  return (
    <ObjectPage shop={shop} id={id} query={policyQuery(shop, id)}>
      {(passport, policy) => <Form key={shop + id} shop={shop} policy={policy} passport={passport} />}
    </ObjectPage>
  );
}

function Form({ shop, policy, passport }: { shop: string; policy: PolicyView | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const base = useMemo(() => (policy ? fieldsOf(policy) : empty), [policy]);
  const edit = useEdit<Fields>(`${shop}/policy/${policy?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.access_write;
  const [asking, setAsking] = useState(false);
  const groups = useQuery({
    queryKey: [shop, "customer-groups", "choice"],
    queryFn: async ({ signal }) => (await answer(api.GET("/customer-groups", { params: { query: { "page.number": 1, "page.limit": 100 } }, signal }))).result.items,
    enabled: values.kind === "group",
  });
  const groupNames = new Map((groups.data ?? []).map((g) => [g.id, g.name]));

  // itemOf is the part of the policy that the changed fields make up; a group is sent with the kind.
  function itemOf(changed: (keyof Fields)[]) {
    const names = changed.includes("kind") ? [...changed, "group_ids"] : changed;
    const { resources, ...others } = Object.fromEntries(Object.entries(values).filter(([n]) => names.includes(n))) as Partial<Fields>;
    return { ...others, ...(resources && { resources: resources.map(({ type, id }) => ({ type, id })) }) };
  }
  const created = () => ({ ...itemOf(Object.keys(empty)), name: values.name, kind: values.kind });
  const path = policy ? `/access-policies/${policy.id}` : "/access-policies";
  useShownCall(
    policy && !edit.dirty ? { method: "GET", path } : policy ? { method: "PUT", path, body: { ...itemOf(edit.changed), expected_updated_at: policy.updated_at } } : { method: "POST", path, body: created() },
  );

  function put(saved: PolicyView) {
    queries.setQueryData(policyQuery(shop, saved.id).queryKey, saved);
    void queries.invalidateQueries({ queryKey: [shop, "policies"] });
  }
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE("/access-policies/{id}", { params: { path: { id: policy!.id } } })),
    onSuccess: () => {
      edit.done();
      void queries.invalidateQueries({ queryKey: [shop, "policies"] });
      told(say, say("opened", { name: policy!.name }));
      void navigate({ to: "/$shop/policies", params: { shop } });
    },
    onError: (error) => failed(say, error),
  });
  const labels = { name: say("name"), kind: say("who"), group_ids: say("groups"), resources: say("what"), title: say("title"), text: say("text") };

  return (
    <Stack>
      <Heading back={{ to: "/$shop/policies", label: say("policies") }} title={policy?.name ?? say("newPolicy")}>
        {policy && !locked && <RemoveButton onClick={() => setAsking(true)} />}
      </Heading>
      <EditForm
        edit={edit}
        base={policy}
        locked={locked}
        fieldsOf={fieldsOf}
        fieldAt={fieldAt}
        labels={labels}
        show={(name, value) => {
          if (name === "kind") return say(`kind_${value as Fields["kind"]}`);
          if (name === "resources") return (value as Resource[]).map((r) => r.name).join(", ");
          if (name === "group_ids") return (value as string[]).map((id) => groupNames.get(id) ?? id).join(", ");
          return String(value);
        }}
        send={async (changed, from) => {
          if (!from) return (await answer(api.POST("/access-policies", { body: created() }))).result;
          return (await answer(api.PUT("/access-policies/{id}", { params: { path: { id: from.id } }, body: { ...itemOf(changed), expected_updated_at: from.updated_at } }))).result;
        }}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!policy) void navigate({ to: "/$shop/policies/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => (
          <Grid>
            <Grid.Col span={{ base: 12, md: 7 }}>
              <Stack>
                <Panel withBorder>
                  <Stack>
                    <TextInput
                      label={labels.name}
                      description={say("nameHint")}
                      value={values.name}
                      onChange={(e) => edit.set("name", e.currentTarget.value)}
                      error={faults.name}
                      readOnly={locked}
                      required
                      maxLength={255}
                      autoFocus={!policy}
                      dir="auto"
                    />
                    <Resources shop={shop} value={values.resources} onChange={(list) => edit.set("resources", list)} error={faults.resources} locked={locked} />
                  </Stack>
                </Panel>
                <Panel withBorder>
                  <Stack>
                    <Radio.Group label={labels.kind} value={values.kind} onChange={(v) => edit.set("kind", v as Fields["kind"])} error={faults.kind}>
                      <Stack gap="xs" mt="xs">
                        {kinds.map((kind) => (
                          <Radio key={kind} value={kind} label={say(`kind_${kind}`)} description={say(`kind_${kind}_text`)} disabled={locked} />
                        ))}
                      </Stack>
                    </Radio.Group>
                    {values.kind === "group" && (
                      <MultiSelect
                        label={labels.group_ids}
                        description={groups.data?.length === 0 ? say("noGroups") : undefined}
                        data={(groups.data ?? []).map((g) => ({ value: g.id, label: g.name }))}
                        value={values.group_ids}
                        onChange={(ids) => edit.set("group_ids", ids)}
                        error={faults.group_ids}
                        readOnly={locked}
                        searchable
                      />
                    )}
                  </Stack>
                </Panel>
                {values.kind === "password" && (policy?.kind === "password" ? <Passwords shop={shop} policy={policy} locked={locked} passport={passport} /> : <Alert variant="light">{say("passwordsLater")}</Alert>)}
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 5 }}>
              <Panel withBorder>
                <Stack>
                  <Title order={2} size="h4">
                    {say("page")}
                  </Title>
                  <TextInput label={labels.title} value={values.title} placeholder={say("defaultTitle")} onChange={(e) => edit.set("title", e.currentTarget.value)} error={faults.title} readOnly={locked} maxLength={255} dir="auto" />
                  <Textarea label={labels.text} value={values.text} onChange={(e) => edit.set("text", e.currentTarget.value)} error={faults.text} readOnly={locked} maxLength={5000} autosize minRows={3} maxRows={12} dir="auto" />
                  <ClosedPage kind={values.kind} title={values.title} text={values.text} shop={passport.store.name} />
                  <Text size="sm" c="dimmed">
                    {say("atOnce")}
                  </Text>
                </Stack>
              </Panel>
            </Grid.Col>
          </Grid>
        )}
      </EditForm>
      {asking && <Ask title={say("open", { name: policy!.name })} text={say("openText")} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

// ClosedPage is a sketch of the page that visitors without access see.
function ClosedPage({ kind, title, text, shop }: { kind: Fields["kind"]; title: string; text: string; shop: string }) {
  const { say } = useWords(words);
  return (
    <Paper withBorder p="md" role="img" aria-label={say("page")}>
      <Stack gap="xs" align="center" inert>
        <IconLock size={24} />
        <Text size="sm" c="dimmed" dir="auto">
          {shop}
        </Text>
        <Text fw={650} size="lg" ta="center" dir="auto">
          {title || say("defaultTitle")}
        </Text>
        {text && (
          <Text size="sm" ta="center" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
            {text}
          </Text>
        )}
        {(kind !== "password" || !text) && (
          <Text size="sm" c="dimmed" ta="center">
            {say(kind === "password" ? "saysPassword" : "saysWho")}
          </Text>
        )}
        {kind === "password" && <TextInput w="100%" maw={260} placeholder={say("password")} aria-label={say("password")} readOnly />}
        <Button w="100%" maw={260} tabIndex={-1}>
          {say(kind === "password" ? "enter" : "signInButton")}
        </Button>
      </Stack>
    </Paper>
  );
}
