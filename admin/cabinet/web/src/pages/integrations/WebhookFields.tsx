import { Card, Checkbox, PasswordInput, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import type { Faults } from "../../parts/EditForm";
import { inputsOf } from "../../parts/inputs";
import type { Unkept } from "../../parts/kept";
import type { useEdit } from "../../parts/useEdit";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/integrations";

export interface Fields extends Record<string, unknown> {
  url: string;
  events: string[];
  is_active: boolean;
  secret: Unkept<string>;
}

export function WebhookFields({
  edit,
  faults,
  events,
  mayReceive,
  isNew,
  locked,
}: {
  edit: ReturnType<typeof useEdit<Fields>>;
  faults: Faults;
  events: { event: string; when: string }[];
  mayReceive: (name: string) => boolean;
  isNew: boolean;
  locked: boolean;
}) {
  const { say } = useWords(words);
  const { values, set } = edit;
  const { unkept } = inputsOf<Fields>(edit, faults, locked, { secret: say(isNew ? "ownSecret" : "newSecret") });
  const label = ({ event, when }: { event: string; when: string }) => {
    const word = `event_${event}`;
    return word in words ? say(word as WordOf<typeof words>) : when;
  };
  return (
    <Card withBorder>
      <Stack>
        <TextInput
          label={say("address")}
          description={say("addressHint")}
          type="url"
          dir="ltr"
          required
          autoFocus={isNew}
          maxLength={1024}
          value={values.url}
          onChange={(e) => set("url", e.currentTarget.value.trim())}
          error={faults.url}
          readOnly={locked}
        />
        <Checkbox.Group label={say("events")} withAsterisk value={values.events} onChange={(v) => set("events", v)} error={faults.events}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm" mt="xs">
            {events.map((e) => (
              <Checkbox key={e.event} value={e.event} label={label(e)} description={e.event} disabled={locked || !mayReceive(e.event)} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <PasswordInput {...unkept("secret", 64)} description={say(isNew ? "ownSecretHint" : "newSecretHint")} />
        <Switch label={say("switchedOn")} description={say("switchHint")} checked={values.is_active} onChange={(e) => set("is_active", e.currentTarget.checked)} disabled={locked} />
      </Stack>
    </Card>
  );
}
