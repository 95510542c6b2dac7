import "@mantine/core/styles/Typography.css";
import { ActionIcon, Anchor, Group, ScrollArea, Skeleton, Text, Typography } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type MouseEvent } from "react";
import { useWords } from "../words";
import { words } from "../words/help";
import { Failure } from "./Failure";

const keys = { "Ctrl K": "search", "Ctrl S": "save", "Ctrl Z": "undoKey", "Esc": "close" } as const;

// Help shows a guide beside the page. Its links to other guides lead to them here.
export default function Help({ guide, onClose }: { guide: string; onClose: () => void }) {
  const { say, language } = useWords(words);
  const [path, setPath] = useState(guide);
  const text = useQuery({ queryKey: ["guide", path], queryFn: () => read(path), staleTime: Infinity });
  useWindowEvent("keydown", (e) => e.key === "Escape" && !e.defaultPrevented && onClose());

  function follow(event: MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const to = new URL(link.href);
    if (to.origin === location.origin && /^\/docs\/[a-z-]+$/.test(to.pathname)) setPath(to.pathname);
    else window.open(link.href, "_blank", "noreferrer");
  }

  return (
    <>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Anchor href={path} target="_blank" rel="noreferrer" size="sm">
          {say("helpWindow")}
        </Anchor>
        <ActionIcon variant="subtle" color="gray" aria-label={say("close")} onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </Group>
      {language !== "en" && (
        <Text size="sm" c="dimmed">
          {say("helpLanguage")}
        </Text>
      )}
      <ScrollArea key={path} flex={1} type="auto" viewportProps={{ tabIndex: 0, "aria-label": say("help"), role: "region" }}>
        {text.isError ? (
          <Failure error={text.error} retry={() => void text.refetch()} />
        ) : text.data ? (
          <Typography lang="en" fz="sm" className="guide" onClick={follow} dangerouslySetInnerHTML={{ __html: text.data }} />
        ) : (
          <Skeleton h={400} />
        )}
      </ScrollArea>
      <Group gap="xs" pt="xs" role="group" aria-label={say("keyList")}>
        {Object.entries(keys).map(([key, word]) => (
          <Text key={key} size="xs">
            <kbd>{key}</kbd> {say(word)}
          </Text>
        ))}
      </Group>
    </>
  );
}

// read returns the text of a guide. It is the program's own and has no markup of others. Its ids could
// be those of the page, and the page's policy blocks its styles.
async function read(path: string): Promise<string> {
  const response = await fetch(path, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(String(response.status));
  const text = (await response.text()).match(/<main>([^]*)<\/main>/)?.[1] ?? "";
  const { body } = new DOMParser().parseFromString(text.replaceAll(/ style="text-align:\w+"/g, ""), "text/html");
  body.querySelectorAll("[id]").forEach((e) => e.removeAttribute("id"));
  return body.innerHTML;
}
