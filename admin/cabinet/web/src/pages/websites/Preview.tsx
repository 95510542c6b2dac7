import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconExternalLink, IconEye } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { ButtonAnchor } from "../../parts/links";
import { failed } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { websiteKey, type Website } from "./data";
import { calls, type Kind, type Release } from "./kinds";

const widths = ["1280", "768", "390"] as const;
const height = 800;

const begin = async () => (await answer(api.POST("/drafts/preview", {}))).result.url;
const pathOf = (url: string, path: string) => `${url}?path=${encodeURIComponent(path)}`;

// Preview shows the page of a release in a frame of three widths: the file itself, before the shop
// puts it into its pages. A folder has addresses only while it is published, so it is tried in the draft.
export function Preview({ shop, kind, id, release, website, mayTry }: { shop: string; kind: Kind; id: string; release: Release; website: Website; mayTry: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [tried, setTried] = useState<string>(); // path of the page that shows the release in the draft
  const own = release.preview_base ? new URL(release.preview_base).pathname + "index.html" : undefined;
  const path = tried ?? own;
  const url = useQuery({ queryKey: [shop, "preview", "url"], queryFn: begin, staleTime: 300_000, enabled: path !== undefined });
  const attempt = useMutation({
    mutationFn: () => calls[kind].publish(id, release.id, true),
    onSuccess: ({ path }) => {
      setTried(kind === "documents" ? (placeOf(website) ?? path) : path || "/");
      void queries.invalidateQueries({ queryKey: websiteKey(shop, kind, id) });
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Stack>
      <Group gap="xs">
        {mayTry && (
          <Button variant="default" leftSection={<IconEye size={16} />} loading={attempt.isPending} onClick={() => attempt.mutate()}>
            {say("tryInDraft")}
          </Button>
        )}
        {url.data && path !== undefined && (
          <ButtonAnchor variant="subtle" href={pathOf(url.data, path)} target="_blank" rel="noreferrer" leftSection={<IconExternalLink size={16} />}>
            {say("newTab")}
          </ButtonAnchor>
        )}
      </Group>
      <Text size="sm" c="dimmed" maw={720}>
        {say(tried !== undefined ? "inDraft" : own ? "previewText" : "previewFolder")}
      </Text>
      {kind === "folders" && tried === "" && <Alert color="orange" variant="light" title={say("folderNowhere")} />}
      {url.isError && <Failure error={url.error} retry={() => void url.refetch()} />}
      {path !== undefined && (url.data ? <Framed key={path} src={pathOf(url.data, path)} /> : !url.isError && <Skeleton h={400} />)}
    </Stack>
  );
}

// placeOf is the address of the first page that shows a document.
function placeOf(website: Website): string | undefined {
  const use = website.document?.used_in.find((u) => ["category", "product", "article"].includes(u.type));
  return use && `/${use.type}/${use.id}`;
}

// Framed is a page in a frame, made smaller if the frame is wider than its place.
function Framed({ src }: { src: string }) {
  const { say } = useWords(words);
  const [width, setWidth] = useState<(typeof widths)[number]>("1280");
  const { ref, width: place } = useElementSize();
  const scale = place > 0 ? Math.min(1, place / Number(width)) : 1;
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={say("frameWidth")}
        style={{ alignSelf: "flex-start" }}
        data={widths.map((value) => ({ value, label: `${value} px` }))}
        value={width}
        onChange={(v) => setWidth(v as typeof width)}
      />
      <div ref={ref} style={{ width: "100%", height: height * scale, overflow: "hidden" }}>
        <iframe title={say("preview")} src={src} width={width} height={height} style={{ border: "1px solid var(--mantine-color-default-border)", transform: `scale(${scale})`, transformOrigin: "0 0", background: "white" }} />
      </div>
    </Stack>
  );
}
