import { ActionIcon, Button, Code, FileButton, Group, Input, Paper, Stack, Text, Textarea } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconLibraryPhoto, IconUpload, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useRef, useState, type DragEvent } from "react";
import { FileThumb } from "../../parts/FileThumb";
import type { MediaFile } from "../../parts/library";
import { moved } from "../../parts/order";
import { UploadList, useUploads } from "../../parts/uploads";
import { useWords } from "../../words";
import { words } from "../../words/media";

const LibraryDialog = lazy(() => import("../../parts/LibraryDialog"));

export interface Item {
  item_key: string;
  kind: "image" | "video" | "audio" | "html";
  file: string | null;
  poster: string | null;
  html: string;
  caption: string;
}

const most = 24;
const media = /^(image|video|audio)\//;

const itemOf = (file: string, kind: string): Item => ({ item_key: crypto.randomUUID(), kind: kind as Item["kind"], file, poster: null, html: "", caption: "" });

interface ItemsProps {
  items: Item[];
  onChange: (items: Item[]) => void;
  error: string | undefined;
  locked: boolean;
}

// Items are the pictures, videos and sounds of a gallery in their order, each with a caption.
export function Items({ items, onChange, error, locked }: ItemsProps) {
  const { say } = useWords(words);
  const latest = useRef(items);
  latest.current = items;
  const [choosing, setChoosing] = useState(false);
  const uploads = useUploads((id, file) => {
    latest.current = [...latest.current, itemOf(id, file.type.split("/")[0]!)];
    onChange(latest.current);
  });
  const add = (files: Iterable<File>) => uploads.add([...files].filter((f) => media.test(f.type)).slice(0, most - latest.current.length - uploads.uploads.length));
  const change = (at: number, part: Partial<Item>) => onChange(items.map((item, i) => (i === at ? { ...item, ...part } : item)));

  function drop(event: DragEvent, to?: number) {
    event.preventDefault();
    event.stopPropagation();
    if (locked) return;
    const from = event.dataTransfer.getData("text/x-item");
    if (from !== "") onChange(moved(items, Number(from), to ?? items.length - 1));
    else add(event.dataTransfer.files);
  }

  function choose(files: MediaFile[]) {
    setChoosing(false);
    onChange([...items, ...files.filter((f) => media.test(f.file_type + "/")).map((f) => itemOf(f.id, f.file_type))]);
  }

  return (
    <Input.Wrapper label={say("items")} labelElement="div" error={error} description={say("mostItems", { n: most })}>
      <Stack gap="xs" mt="xs" onDragOver={(e) => e.preventDefault()} onDrop={(e) => drop(e)}>
        {items.map((item, i) => (
          <Paper key={item.item_key} withBorder p="xs" draggable={!locked} onDragStart={(e) => e.dataTransfer.setData("text/x-item", String(i))} onDrop={(e) => drop(e, i)}>
            <Group wrap="nowrap" align="flex-start" gap="xs">
              {item.kind === "html" ? (
                <Code w={72} h={72} style={{ overflow: "hidden" }} aria-label={say("htmlItem")}>
                  {item.html.slice(0, 200)}
                </Code>
              ) : (
                <FileThumb file={{ id: item.file ?? "", file_type: item.kind, mime: "", alt: "" }} size={72} />
              )}
              <Textarea
                flex={1}
                aria-label={say("caption", { n: i + 1 })}
                placeholder={say("caption", { n: i + 1 })}
                value={item.caption}
                onChange={(e) => change(i, { caption: e.currentTarget.value })}
                readOnly={locked}
                autosize
                minRows={2}
                maxLength={1000}
                dir="auto"
              />
              {!locked && (
                <Stack gap={0}>
                  <ActionIcon size={24} variant="subtle" aria-label={say("moveUp", { n: i + 1 })} disabled={i === 0} onClick={() => onChange(moved(items, i, i - 1))}>
                    <IconArrowUp size={16} />
                  </ActionIcon>
                  <ActionIcon size={24} variant="subtle" aria-label={say("moveDown", { n: i + 1 })} disabled={i === items.length - 1} onClick={() => onChange(moved(items, i, i + 1))}>
                    <IconArrowDown size={16} />
                  </ActionIcon>
                  <ActionIcon size={24} variant="subtle" color="red" aria-label={say("takeOut", { n: i + 1 })} onClick={() => onChange(items.filter((_, n) => n !== i))}>
                    <IconX size={16} />
                  </ActionIcon>
                </Stack>
              )}
            </Group>
          </Paper>
        ))}
        <UploadList {...uploads} />
        {!locked && items.length < most && (
          <Group gap="sm">
            <FileButton accept="image/*,.heic,.heif,.avif,video/*,audio/*" multiple onChange={add}>
              {(props) => (
                <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={16} />}>
                  {say("addFiles")}
                </Button>
              )}
            </FileButton>
            <Button variant="default" size="xs" leftSection={<IconLibraryPhoto size={16} />} onClick={() => setChoosing(true)}>
              {say("fromLibrary")}
            </Button>
            <Text size="xs" c="dimmed" visibleFrom="sm">
              {say("dropFiles")}
            </Text>
          </Group>
        )}
      </Stack>
      <Suspense>{choosing && <LibraryDialog taken={items.map((i) => i.file ?? "")} max={most - items.length} onClose={() => setChoosing(false)} onChoose={choose} />}</Suspense>
    </Input.Wrapper>
  );
}
