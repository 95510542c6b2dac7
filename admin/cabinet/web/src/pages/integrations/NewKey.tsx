import { Button, Card, Checkbox, Fieldset, Group, Radio, SimpleGrid, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery, type Passport } from "../../frame/session";
import { dayField, moment } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { Heading } from "../../parts/Heading";
import { Secret } from "../../parts/Secret";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { keysQuery, scopesQuery, type Key } from "./data";
import { inGroup, useScopeText, type ScopeGroup } from "./scopes";

type Scope = Key["scopes"][number];

// NewKey makes a key and shows it once.
export function NewKey() {
  const { shop } = useParams({ from: "/$shop/integrations/keys/new" });
  const { say } = useWords(words);
  const navigate = useNavigate();
  const scopes = useQuery(scopesQuery);
  const { data: passport } = useQuery(passportQuery(shop));
  const [made, setMade] = useState<{ key: string; name: string }>();
  return (
    <Stack maw={860}>
      <Heading back={{ to: "/$shop/integrations", label: say("keys") }} title={say("newKey")} />
      {made ? (
        <Secret title={made.name} values={[{ label: say("key"), value: made.key }]} onKept={() => void navigate({ to: "/$shop/integrations", params: { shop } })} />
      ) : scopes.isError ? (
        <Failure error={scopes.error} retry={() => void scopes.refetch()} />
      ) : scopes.data && passport ? (
        <KeyForm shop={shop} passport={passport} scopes={scopes.data} onMade={setMade} />
      ) : (
        <Skeleton h={480} />
      )}
    </Stack>
  );
}

function KeyForm({ shop, passport, scopes, onMade }: { shop: string; passport: Passport; scopes: { scope: Scope; sensitive: boolean }[]; onMade: (key: { key: string; name: string }) => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const textOf = useScopeText();
  const [name, setName] = useState("");
  const [contour, setContour] = useState<"prod" | "dev">("prod");
  const [chosen, choose] = useState<Scope[]>([]);
  const [until, setUntil] = useState("");
  const manager = manages(passport);
  const mayHave = scopes.filter((s) => manager || !s.sensitive).map((s) => s.scope);
  const body = { name, contour, scopes: chosen, expires_at: until ? moment(until + "T23:59", passport.store.timezone) : null };
  useShownCall({ method: "POST", path: "/v1/account/tokens", body, session: true });

  async function make() {
    if (chosen.length === 0) throw new Refusal(400, "SCOPE_UNKNOWN", say("chooseRight"), [{ code: "SCOPE_UNKNOWN", place: "scopes", detail: say("chooseRight") }]);
    const { result } = await answer(api.POST("/v1/account/tokens", { body }));
    void queries.invalidateQueries({ queryKey: keysQuery(shop).queryKey });
    onMade(result);
  }

  return (
    <Form submit={say("makeKey")} fields={{ name, scopes: chosen, expires_at: until }} onSubmit={make}>
      {({ at }) => (
        <>
          <Card withBorder>
            <Stack>
              <TextInput label={say("keyName")} description={say("keyNameHint")} name="key-name" required autoFocus maxLength={255} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" />
              <Radio.Group label={say("worksIn")} value={contour} onChange={(v) => setContour(v as "prod")}>
                <Stack gap="xs" mt={4}>
                  <Radio value="prod" label={say("live")} description={say("liveText")} />
                  <Radio value="dev" label={say("draft")} description={say("draftText")} />
                </Stack>
              </Radio.Group>
              <TextInput {...dayField} label={say("expiresOn")} description={say("expiresHint")} value={until} onChange={(e) => setUntil(e.currentTarget.value)} error={at("expires_at")} maw={320} />
            </Stack>
          </Card>
          <Checkbox.Group label={say("rights")} description={manager ? undefined : say("sensitiveText")} withAsterisk error={at("scopes")} value={chosen} onChange={(v) => choose(v as Scope[])}>
            <Group gap="xs" my="xs">
              <Button size="compact-sm" variant="default" onClick={() => choose(mayHave)}>
                {say(manager ? "everything" : "everythingAllowed")}
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => choose(mayHave.filter((s) => s.endsWith(":read")))}>
                {say("onlySee")}
              </Button>
              <Button size="compact-sm" variant="default" disabled={chosen.length === 0} onClick={() => choose([])}>
                {say("nothing")}
              </Button>
            </Group>
            <Stack>
              {(["goods", "sales", "site"] satisfies ScopeGroup[]).map((group) => (
                <Fieldset key={group} legend={say(`group_${group}`)}>
                  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
                    {inGroup(group, scopes).map((s) => (
                      <Checkbox key={s.scope} value={s.scope} label={textOf(s.scope)} description={s.scope} disabled={!mayHave.includes(s.scope)} />
                    ))}
                  </SimpleGrid>
                </Fieldset>
              ))}
            </Stack>
          </Checkbox.Group>
          <Text size="sm" c="dimmed">
            {say("makeKeyText")}
          </Text>
        </>
      )}
    </Form>
  );
}
