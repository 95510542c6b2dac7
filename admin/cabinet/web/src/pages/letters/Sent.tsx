import { Badge, Button, Card, Group, Modal, Select, Stack, Text, UnstyledButton } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { List } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/letters";
import { recipientOf, sentQuery, templatesQuery, titleOf, type SentLetter } from "./data";
import { LetterFrame } from "./LetterFrame";
import { pageSize, queryOf, states, type LetterSearch } from "./search";

const stateWords = { queued: "queued", sent: "sent", failed: "failedState" } as const;
const colors = { queued: "blue", sent: "teal", failed: "red" } as const;

// Sent lists the letters that were written, to read them and to send them again.
export function Sent() {
  const { shop } = useParams({ from: "/$shop/letters/sent" });
  const search = useSearch({ from: "/$shop/letters/sent" });
  const navigate = useNavigate({ from: "/$shop/letters/sent" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(sentQuery(shop, search));
  const templates = useQuery({ ...templatesQuery(shop), staleTime: Infinity });
  const [read, setRead] = useState<SentLetter | null>(null);
  useShownCall({ method: "GET", path: addressOf("/v1/shop/letters", queryOf(search)) });
  const change = (part: LetterSearch) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }) });
  const zone = passport?.store.timezone ?? "UTC";
  const items = list.data?.items ?? [];
  const total = list.data?.total ?? 0;

  const state = (l: SentLetter) => (
    <>
      <Badge variant="light" tt="none" color={colors[l.state]}>
        {say(stateWords[l.state])}
      </Badge>
      {l.error && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {l.error}
        </Text>
      )}
    </>
  );
  const subject = (l: SentLetter) => (
    <UnstyledButton onClick={() => setRead(l)} aria-label={say("read", { subject: l.subject || titleOf(say, l.name) })}>
      <Text size="sm" fw={500} dir="auto" lineClamp={2}>
        {l.subject || titleOf(say, l.name)}
      </Text>
    </UnstyledButton>
  );

  return (
    <Stack>
      <Heading back={{ to: "/$shop/letters", label: say("letters") }} title={say("sentLetters")} />
      <Group gap="xs">
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={states.map((value) => ({ value, label: say(stateWords[value]) }))}
          value={search.state ?? null}
          onChange={(v) => change({ state: (v as LetterSearch["state"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 150px"
          maw={240}
        />
        <Select
          aria-label={say("letter")}
          placeholder={say("letter")}
          data={(templates.data ?? []).map((t) => ({ value: t.name, label: `${titleOf(say, t.name)} · ${recipientOf(say, t.name)}` }))}
          value={search.name ?? null}
          onChange={(v) => change({ name: v ?? undefined })}
          searchable
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="2 1 240px"
          maw={420}
        />
      </Group>
      {items.some((l) => l.state === "queued") && (
        <Text size="sm" c="dimmed">
          {say("queuedText")}
        </Text>
      )}
      <List
        query={list}
        items={items}
        total={total}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={(l) => l.subject}
        empty={say(search.state || search.name ? "noneMatches" : "noLetters")}
        count={say("lettersCount", { n: total })}
        columns={[
          { key: "subject", label: say("subject"), cell: subject },
          {
            key: "to",
            label: say("recipient"),
            cell: (l) => (
              <Text size="sm" dir="auto">
                {l.to}
              </Text>
            ),
          },
          { key: "created", label: say("created"), end: true, cell: (l) => dateText(l.created_at, zone, language) },
          { key: "state", label: say("state"), cell: state },
        ]}
        card={(l) => (
          <Card withBorder padding="xs">
            {subject(l)}
            <Text size="sm" c="dimmed" dir="auto">
              {l.to} · {dateText(l.created_at, zone, language)}
            </Text>
            <div>{state(l)}</div>
          </Card>
        )}
      />
      {read && <Reading letter={read} zone={zone} shop={shop} onClose={() => setRead(null)} />}
    </Stack>
  );
}

// Reading shows one letter as it was or will be sent.
function Reading({ letter: l, zone, shop, onClose }: { letter: SentLetter; zone: string; shop: string; onClose: () => void }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => answer(api.POST("/v1/shop/letters/again/{id}", { params: { path: { id: l.id } } })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [shop, "letters"] });
      told(say, say("sentAgain", { to: l.to }));
      onClose();
    },
    onError: (error) => failed(say, error),
  });
  const dates = [`${say("created")}: ${dateText(l.created_at, zone, language)}`, l.sent_at && `${say("sentAt")}: ${dateText(l.sent_at, zone, language)}`, l.tries > 0 && say("attempts", { n: l.tries })];
  return (
    <Modal opened onClose={onClose} size="lg" title={<span dir="auto">{l.subject || titleOf(say, l.name)}</span>} closeButtonProps={{ "aria-label": say("close") }}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed" dir="auto">
          {l.to} · {dates.filter(Boolean).join(" · ")}
        </Text>
        {l.error && <Text size="sm">{l.error}</Text>}
        {l.html ? (
          <LetterFrame html={l.html} title={l.subject} />
        ) : (
          <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
            {l.text}
          </Text>
        )}
        <Group justify="flex-end">
          <Button loading={again.isPending} onClick={() => again.mutate()}>
            {say("sendAgain")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
