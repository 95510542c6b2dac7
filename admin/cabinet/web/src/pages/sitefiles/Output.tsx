import { Code, Group, Select, Text } from "@mantine/core";
import { Failure } from "../../frame/Failure";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/sitefiles";
import { limits, type usePreview } from "./usePreview";

// Output shows what the template makes of the catalogue.
export function Output({ preview: p, named }: { preview: ReturnType<typeof usePreview>; named: boolean }) {
  const { say } = useWords(words);
  return (
    <Panel title={say("preview")} text={say("previewHint")}>
      <Group justify="space-between">
        <Select aria-label={say("products", { n: 2 })} data={limits.map((n) => ({ value: String(n), label: say("upTo", { n }) }))} value={String(p.limit)} allowDeselect={false} onChange={(n) => p.setLimit(Number(n))} w={280} />
        <Text size="sm" c="dimmed" role="status">
          {p.waits ? say("waits") : p.isFetching ? say("makesPreview") : p.data ? say("products", { n: p.data.items_count }) : !named ? say("nameFirst") : ""}
        </Text>
      </Group>
      {p.isError && <Failure error={p.error} />}
      {p.data && (
        <>
          {p.data.truncated && <Text size="sm">{say("cut")}</Text>}
          {p.data.output === "" ? (
            p.data.errors.length === 0 && <Text size="sm">{say("emptyOutput")}</Text>
          ) : (
            <Code block tabIndex={0} role="region" aria-label={say("output")} dir="ltr" mah={480} style={{ overflow: "auto", whiteSpace: "pre" }}>
              {p.data.output}
            </Code>
          )}
        </>
      )}
    </Panel>
  );
}
