import { Group, Stack, Text } from "@mantine/core";
import type { Passport } from "../../frame/session";
import { Copied } from "../../parts/Copied";
import { dateText } from "../../parts/dates";
import { Panel } from "../../parts/Panel";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/sitefiles";
import { BuildBadge } from "./badges";
import { problems, type FullFile } from "./data";

// Published says where a file is served, and what its latest build was.
export function Published({ file, store, dirty }: { file: FullFile; store: Passport["store"]; dirty: boolean }) {
  const { say, language } = useWords(words);
  const b = file.last_build;
  return (
    <Panel title={say("address")} text={say(file.is_published && file.url ? "addressText" : "addressLater")}>
      {file.is_published && file.url && (
        <Stack gap={4}>
          <Copied text={file.url} />
          <Text size="xs" c="dimmed">
            {say("permanent")}
          </Text>
          <Copied text={`${store.storefront_url}/_file/${file.id}`} />
        </Stack>
      )}
      {b ? (
        <Stack gap={4}>
          <Group gap="xs">
            <BuildBadge state={b.state} />
            <Text size="sm">{[dateText(b.at, store.timezone, language), say("products", { n: b.items }), sizeText(Number(b.bytes), language), problems(b) > 0 && say("problemsCount", { n: problems(b) })].filter(Boolean).join(" · ")}</Text>
          </Group>
          <Text size="sm" c="dimmed">
            {say(`buildText_${b.state}`)}
          </Text>
          {b.state !== "good" &&
            !dirty &&
            (b.errors ?? []).slice(0, 3).map((e, i) => (
              <Text key={i} size="sm" c="var(--mantine-color-error)" lang="en" dir="auto">
                {e.line > 0 && say("line", { n: e.line }) + ": "}
                {e.message}
              </Text>
            ))}
        </Stack>
      ) : (
        file.is_published && (
          <Text size="sm" c="dimmed">
            {say("notBuilt")}
          </Text>
        )
      )}
    </Panel>
  );
}
