import { Button, Checkbox, Grid, Group, Select, Skeleton, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery, type Passport } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { EditForm } from "../../parts/EditForm";
import { Heading, RemoveButton } from "../../parts/Heading";
import { inputsOf } from "../../parts/inputs";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { TargetField } from "../../parts/TargetField";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { CirclePath } from "./CirclePath";
import { home, removeRules, ruleQuery, type Rule } from "./data";
import { absolute, ambiguous, circleOf, empty, fieldAt, itemOf, placed, starred, valuesOf, type Circle, type Values } from "./fields";
import ReplayList from "../../parts/ReplayList";
import { reasonIn } from "./reason";
import { RuleBadges } from "./RuleBadges";

const kinds = ["", "pattern", "prefix"] as const;

// RulePage is the page of one rule, or of a new one.
export function RulePage() {
  const { shop, id } = useParams({ from: "/$shop/redirects/$id" });
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const rule = useQuery({ ...ruleQuery(shop, id), enabled: numeric });
  if (id !== "new" && !numeric) return <Failure page error={null} />;
  if (rule.isError && !rule.data) return <Failure page error={rule.error} retry={() => void rule.refetch()} />;
  if (!passport.data || (numeric && !rule.data)) return <Skeleton h={480} />;
  return <Form key={shop + id} shop={shop} rule={rule.data} passport={passport.data} />;
}

function Form({ shop, rule, passport }: { shop: string; rule: Rule | undefined; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { from: given } = useSearch({ from: "/$shop/redirects/$id" });
  const base = useMemo(() => (rule ? valuesOf(rule) : { ...empty, from_path: given ?? "" }), [rule, given]);
  const edit = useEdit<Values>(`${shop}/redirect/${rule?.id ?? "new"}`, base);
  const { values } = edit;
  const locked = !passport.capabilities.redirects_write || !manages(passport);
  const [circle, setCircle] = useState<{ of: string; path: Circle }>();
  const path = rule ? `${home}/${rule.id}` : home;
  const body = { item: itemOf(values), ...(rule && { expected_updated_at: rule.updated_at }) };
  useShownCall(rule && !edit.dirty ? { method: "GET", path } : { method: rule ? "PUT" : "POST", path, body });

  // write saves values, or tries them. A refusal because of a circle leaves its path.
  async function write(v: Values, from: Rule | undefined, dry_run: boolean) {
    const item = itemOf(v);
    setCircle(undefined);
    try {
      return await answer(
        from ? api.PUT("/storefront-redirects/{id}", { params: { path: { id: from.id } }, body: { item, dry_run, expected_updated_at: from.updated_at } }) : api.POST("/storefront-redirects", { body: { item, dry_run } }),
      );
    } catch (error) {
      const path = circleOf(error);
      if (path) setCircle({ of: JSON.stringify(v), path });
      throw placed(error);
    }
  }
  const tried = useMutation({ mutationFn: (v: Values) => write(v, rule, true), onError: (error) => failed(say, error instanceof Error && circleOf(error) ? new Error(reasonIn(say)({ code: circleOf(error)!.code, detail: "" })) : error) });
  const remove = useMutation({
    mutationFn: () => removeRules([rule!.id], say("undoOverlaps")),
    onSuccess: (undo) => {
      edit.done();
      const refresh = () => queries.invalidateQueries({ queryKey: [shop, "redirects"] });
      void navigate({ to: "/$shop/redirects", params: { shop } }).then(refresh);
      told(say, say("rulesDeleted", { n: 1 }), undo && (() => undo().then(refresh)));
    },
    onError: (error) => failed(say, error),
  });
  // The answer to a write lacks the counters: the rule is read again.
  async function send(changed: (keyof Values)[], from: Rule | undefined): Promise<Rule> {
    const kept = from ? valuesOf(from) : empty;
    const { result } = await write(from ? { ...kept, ...Object.fromEntries(changed.map((name) => [name, values[name]])) } : values, from, false);
    return (await answer(api.GET("/storefront-redirects/{id}", { params: { path: { id: result.id } } }))).result;
  }
  function put(saved: Rule) {
    void queries.invalidateQueries({ queryKey: [shop, "redirects"] });
    queries.setQueryData(ruleQuery(shop, saved.id).queryKey, saved);
  }

  const labels: Record<keyof Values, string> = {
    from_path: say("from"),
    to_target: say("to"),
    kind: say("kind"),
    external: say("external"),
    code: say("code"),
    enabled: say("enabled"),
    override_live: say("override_live"),
    drop_query: say("drop_query"),
    query_match: say("query_match"),
    note: say("note"),
  };
  const show = (name: keyof Values, value: unknown) => {
    if (typeof value === "boolean") return say(value ? "yes" : "no");
    if (name === "kind") return say(value ? `kind_${value as "pattern"}` : "kindAuto");
    return String(value);
  };
  return (
    <Stack>
      <Heading back={{ to: "/$shop/redirects", label: say("redirects") }} title={rule ? say("ruleOf", { id: rule.id }) : say("newRule")} state={rule && <RuleBadges rule={rule} />}>
        {rule && !locked && <RemoveButton loading={remove.isPending} onClick={() => remove.mutate()} />}
      </Heading>
      <EditForm
        edit={edit}
        base={rule}
        locked={locked}
        fieldsOf={valuesOf}
        fieldAt={fieldAt}
        reason={reasonIn(say)}
        labels={labels}
        show={show}
        send={send}
        onTheirs={put}
        onSaved={(saved) => {
          put(saved);
          if (!rule) void navigate({ to: "/$shop/redirects/$id", params: { shop, id: saved.id }, replace: true });
        }}
      >
        {(faults) => {
          const inputs = inputsOf(edit, faults, locked, labels);
          return (
            <Grid>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <Stack>
                  {circle && circle.of === JSON.stringify(values) && <CirclePath circle={circle.path} />}
                  <Panel title={say("wayTitle")}>
                    <TextInput {...inputs.text("from_path", 8192)} description={say("fromHint")} placeholder="/old-page" required dir="ltr" autoFocus={!rule && !given} />
                    {ambiguous(values.from_path) && (
                      <Select {...inputs.choice("kind")} description={say("kindHint")} data={kinds.map((value) => ({ value, label: say(value ? `kind_${value}` : "kindAuto") }))} />
                    )}
                    <TargetField
                      shop={shop}
                      label={labels.to_target}
                      description={say("toHint")}
                      placeholder="/tea"
                      value={values.to_target}
                      onChange={(v) => edit.set("to_target", v)}
                      error={faults.to_target}
                      readOnly={locked}
                      maxLength={8192}
                    />
                    {absolute(values.to_target) && <Checkbox {...inputs.flag("external")} />}
                    <Select
                      {...inputs.choice("code")}
                      data={(["301", "302"] as const).map((value) => ({ value, label: say(`code_${value}`) }))}
                    />
                  </Panel>
                  <Panel title={say("whenTitle")}>
                    <Checkbox {...inputs.flag("enabled")} />
                    <Checkbox {...inputs.flag("override_live")} description={say("overrideHint")} />
                    <Checkbox {...inputs.flag("drop_query")} description={say("dropHint")} />
                    {!starred(values.from_path) && <TextInput {...inputs.text("query_match", 2048)} description={say("queryHint")} placeholder="id=5" dir="ltr" />}
                    <Textarea {...inputs.text("note", 500)} autosize maxRows={6} />
                  </Panel>
                </Stack>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Stack>
                  {!locked && (
                    <Panel title={say("tryTitle")} text={say("tryText")}>
                      <Group>
                        <Button variant="default" loading={tried.isPending} disabled={!values.from_path.trim() || !values.to_target.trim()} onClick={() => tried.mutate(values)}>
                          {say("tryIt")}
                        </Button>
                      </Group>
                      <div aria-live="polite">
                        {tried.data?.replay &&
                          (JSON.stringify(tried.variables) === JSON.stringify(values) ? <ReplayList replay={tried.data.replay} /> : <Text size="sm">{say("tryStale")}</Text>)}
                      </div>
                    </Panel>
                  )}
                  {rule && <Facts shop={shop} rule={rule} zone={passport.store.timezone} />}
                </Stack>
              </Grid.Col>
            </Grid>
          );
        }}
      </EditForm>
    </Stack>
  );
}

// Facts say how a rule is used.
function Facts({ shop, rule, zone }: { shop: string; rule: Rule; zone: string }) {
  const { say, language } = useWords(words);
  const { shadowed_by: by } = rule;
  return (
    <Panel title={say("factsTitle")}>
      <Text size="sm">
        {say("hits")}: {Number(rule.hits ?? 0).toLocaleString(language)} · {say("lastHit")}: {dateText(rule.last_hit_at ?? null, zone, language) || say("never")}
      </Text>
      {by && (
        <Text size="sm" c="var(--mantine-color-error)">
          {by.kind === "rule" ? (
            <AnchorLink to="/$shop/redirects/$id" params={{ shop, id: by.rule_id! }} c="inherit" td="underline">
              {say("shadow_rule", { id: by.rule_id! })}
            </AnchorLink>
          ) : (
            say(by.kind === "page" ? "shadow_page" : "shadow_other")
          )}
        </Text>
      )}
      {!starred(rule.from_path) && (
        <AnchorLink to="/$shop/redirects/check" params={{ shop }} search={{ url: rule.from_path + (rule.query_match && "?" + rule.query_match) }} size="sm">
          {say("checkThis")}
        </AnchorLink>
      )}
    </Panel>
  );
}
