import { Button, Card, Group, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { download } from "../../api/download";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/transfer";
import type { Kind } from "./kinds";

export function Exports({ kinds }: { kinds: Kind[] }) {
  const { say } = useWords(words);
  const get = useMutation({ mutationFn: (kind: Kind) => download(kind.exports, kind.file), onError: (error) => failed(say, error) });
  return (
    <Card component="section" withBorder>
      <Title order={2} size="h4" mb="xs">
        {say("exportTitle")}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {say("exportText")}
      </Text>
      <Group>
        {kinds.map((kind) => (
          <Button key={kind.word} variant="default" leftSection={<IconDownload size={16} />} loading={get.isPending && get.variables === kind} onClick={() => get.mutate(kind)}>
            {say(kind.word)}
          </Button>
        ))}
      </Group>
    </Card>
  );
}
