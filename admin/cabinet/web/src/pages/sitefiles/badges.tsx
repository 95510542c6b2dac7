import { Badge } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/sitefiles";
import type { Build, SiteFile } from "./data";

export function FileState({ file }: { file: Pick<SiteFile, "is_published" | "orphaned"> }) {
  const { say } = useWords(words);
  return (
    <Badge color={file.orphaned ? "red" : file.is_published ? undefined : "gray"} variant="light" tt="none" miw="max-content">
      {say(file.orphaned ? "orphaned" : file.is_published ? "published" : "hidden")}
    </Badge>
  );
}

const colours = { good: "teal", kept: "orange", failed: "red" } as const;

export function BuildBadge({ state }: { state: Build["state"] }) {
  const { say } = useWords(words);
  return (
    <Badge color={colours[state]} variant="light" tt="none" miw="max-content">
      {say(`build_${state}`)}
    </Badge>
  );
}
