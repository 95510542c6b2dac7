import { Badge, Group as Row } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/leads";
import type { Lead } from "./data";
import type { Status } from "./search";

const colors: Record<Status, string> = { new: "orange", seen: "blue", done: "teal", spam: "gray" };

export function StatusBadge({ lead }: { lead: Lead }) {
  const { say } = useWords(words);
  return (
    <Row gap={4} wrap="nowrap">
      <Badge variant="light" color={colors[lead.status]} tt="none" miw="max-content">
        {say(`status_${lead.status}`)}
      </Badge>
      {lead.test && (
        <Badge variant="light" color="gray" tt="none" miw="max-content">
          {say("test")}
        </Badge>
      )}
    </Row>
  );
}
