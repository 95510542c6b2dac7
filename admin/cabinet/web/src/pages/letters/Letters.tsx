import { Alert, Badge, Group, Stack, Text } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { List } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/letters";
import { recipientOf, sentQuery, templatesQuery, titleOf, whenOf } from "./data";
import { Sender } from "./Sender";

type Head = Schemas["LetterHeadView"] & { id: string };

// Letters lists the letters that the shop sends, and says where they come from.
export function Letters() {
  const { shop } = useParams({ from: "/$shop/letters" });
  const { say } = useWords(words);
  const list = useQuery(templatesQuery(shop));
  const failed = useQuery(sentQuery(shop, { state: "failed" }));
  useShownCall({ method: "GET", path: "/v1/shop/letters/templates" });
  const items = (list.data ?? []).map((t): Head => ({ ...t, id: t.name }));

  return (
    <Stack>
      <Heading title={say("letters")}>
        <ButtonLink variant="default" to="/$shop/letters/sent" params={{ shop }} leftSection={<IconMail size={16} />}>
          {say("sentLetters")}
        </ButtonLink>
      </Heading>
      {failed.data !== undefined && failed.data.total > 0 && (
        <Alert color="orange" variant="light">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{say("notSent", { n: failed.data.total })}</Text>
            <ButtonLink size="xs" variant="default" to="/$shop/letters/sent" params={{ shop }} search={{ state: "failed" }}>
              {say("show")}
            </ButtonLink>
          </Group>
        </Alert>
      )}
      <List
        query={list}
        items={items}
        total={items.length}
        size={items.length}
        page={undefined}
        onPage={() => {}}
        nameOf={(t) => titleOf(say, t.name)}
        empty={say("noLetters")}
        count={say("lettersCount", { n: items.length })}
        columns={[
          {
            key: "letter",
            label: say("letter"),
            cell: (t) => (
              <>
                <AnchorLink to="/$shop/letters/$name" params={{ shop, name: t.name }} size="sm" fw={500} c="var(--mantine-color-text)">
                  {titleOf(say, t.name)}
                </AnchorLink>
                <Text size="xs" c="dimmed">
                  {whenOf(say, t.name)}
                </Text>
              </>
            ),
          },
          { key: "recipient", label: say("recipient"), cell: (t) => recipientOf(say, t.name) },
          { key: "subject", label: say("subject"), cell: (t) => <Subject text={t.subject} /> },
          { key: "state", label: say("text"), cell: (t) => <TextState template={t} /> },
        ]}
        card={(t) => (
          <CardLink withBorder padding="xs" to="/$shop/letters/$name" params={{ shop, name: t.name }}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={500}>
                {titleOf(say, t.name)} · {recipientOf(say, t.name)}
              </Text>
              <TextState template={t} />
            </Group>
            <Subject text={t.subject} />
          </CardLink>
        )}
      />
      <Sender shop={shop} />
    </Stack>
  );
}

function Subject({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed" dir="auto" lineClamp={2}>
      {text}
    </Text>
  );
}

// TextState says whether a letter is sent with the shop's own text.
export function TextState({ template: t }: { template: Pick<Head, "is_changed" | "error"> }) {
  const { say } = useWords(words);
  return (
    <Badge variant="light" tt="none" color={t.error ? "red" : t.is_changed ? "teal" : "gray"}>
      {say(t.error ? "broken" : t.is_changed ? "ownText" : "standardText")}
    </Badge>
  );
}
