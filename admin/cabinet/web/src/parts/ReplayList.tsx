import { Table, Text } from "@mantine/core";
import type { Schemas } from "../api/client";
import { useWords, type Say, type WordOf } from "../words";
import { words } from "../words/redirects";
import { Address } from "./Address";
import { WideTable } from "./WideTable";

export type Replay = Schemas["SiteReplay"];

const shown = 20;

type Reply = Replay["changed"][number]["before"];

// replyText says what an address answers, first of all.
function replyText({ kind, location, code }: Reply, say: Say<WordOf<typeof words>>): string {
  if (location) return `${location} (${code})`;
  const word = `reply_${kind}`;
  return say(word in words ? (word as keyof typeof words) : "reply_other");
}

// ReplayList says which addresses would answer otherwise after a change.
export default function ReplayList({ replay }: { replay: Replay }) {
  const { say } = useWords(words);
  if (replay.total === 0) return <Text size="sm">{say("replayNone", { n: replay.checked })}</Text>;
  return (
    <>
      <Text size="sm">{say("replaySome", { n: replay.checked, total: replay.total })}</Text>
      <WideTable label={say("tryTitle")} minWidth={320}>
        <Table verticalSpacing={4} fz="xs" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("addressOf")}</Table.Th>
              <Table.Th>{say("answeredBefore")}</Table.Th>
              <Table.Th>{say("answersAfter")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {replay.changed.slice(0, shown).map((c) => (
              <Table.Tr key={c.path}>
                {[c.path, replyText(c.before, say), replyText(c.after, say)].map((text, i) => (
                  <Table.Td key={i} style={{ verticalAlign: "top" }}>
                    <Address text={text} size="xs" />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {replay.changed.length > shown && (
        <Text size="sm" c="dimmed">
          {say("replayFirst", { n: shown })}
        </Text>
      )}
    </>
  );
}
