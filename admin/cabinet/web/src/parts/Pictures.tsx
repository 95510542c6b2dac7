import { ActionIcon, Button, FileButton, Group, Input, Paper, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconLibraryPhoto, IconPhotoPlus, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useRef, useState, type DragEvent } from "react";
import { useWords } from "../words";
import { words } from "../words/pictures";
import { moved } from "./order";
import { ByAddress } from "./ByAddress";
import { Picture } from "./Picture";
import { UploadList, useUploads } from "./uploads";

const LibraryDialog = lazy(() => import("./LibraryDialog"));
const AltDialog = lazy(() => import("./AltDialog"));

// Pictures is an ordered list of files: added by choosing, dropping, pasting, by address or from the library,
// reordered by dragging or with the buttons. A picture itself leads to its alternative text.
export function Pictures({ label, value, onChange, max, error, disabled }: { label: string; value: string[]; onChange: (ids: string[]) => void; max: number; error?: string | undefined; disabled?: boolean }) {
  const { say } = useWords(words);
  const latest = useRef(value);
  latest.current = value;
  const [choosing, setChoosing] = useState(false);
  const [described, setDescribed] = useState<string | null>(null);

  function change(ids: string[]) {
    latest.current = ids;
    onChange(ids);
  }
  const uploads = useUploads<File | string>((id) => change([...latest.current, id]));

  function add(files: Iterable<File>) {
    uploads.add([...files].filter((f) => f.type.startsWith("image/")).slice(0, max - latest.current.length - uploads.uploads.length));
  }

  function drop(event: DragEvent, to?: number) {
    event.preventDefault();
    event.stopPropagation();
    if (disabled) return;
    const from = event.dataTransfer.getData("text/x-picture");
    if (from !== "") onChange(moved(value, Number(from), to ?? value.length - 1));
    else add(event.dataTransfer.files);
  }

  return (
    <Input.Wrapper label={label} error={error} labelElement="div">
      <Paper
        withBorder
        p="sm"
        tabIndex={disabled ? -1 : 0}
        aria-label={label}
        role="group"
        onDragOver={(e) => e.preventDefault()}
        onDrop={(e) => drop(e)}
        onPaste={(e) => {
          if (!disabled && e.clipboardData.files.length > 0) add(e.clipboardData.files);
        }}
      >
        <Stack gap="sm">
          {value.length > 0 && (
            <Group gap="sm">
              {value.map((id, i) => (
                <Stack key={id} gap={2} align="center" draggable={!disabled} onDragStart={(e) => e.dataTransfer.setData("text/x-picture", String(i))} onDrop={(e) => drop(e, i)}>
                  <UnstyledButton aria-label={`${say("altText")} ${i + 1}`} title={say("altText")} disabled={disabled ?? false} onClick={() => setDescribed(id)}>
                    <Picture id={id} size={96} alt={`${label} ${i + 1}`} />
                  </UnstyledButton>
                  {!disabled && (
                    <Group gap={2}>
                      <ActionIcon size={24} variant="subtle" aria-label={`${say("moveLeft")} ${i + 1}`} disabled={i === 0} onClick={() => onChange(moved(value, i, i - 1))}>
                        <IconChevronLeft size={16} />
                      </ActionIcon>
                      <ActionIcon size={24} variant="subtle" color="red" aria-label={`${say("removePicture")} ${i + 1}`} onClick={() => onChange(value.filter((v) => v !== id))}>
                        <IconX size={16} />
                      </ActionIcon>
                      <ActionIcon size={24} variant="subtle" aria-label={`${say("moveRight")} ${i + 1}`} disabled={i === value.length - 1} onClick={() => onChange(moved(value, i, i + 1))}>
                        <IconChevronRight size={16} />
                      </ActionIcon>
                    </Group>
                  )}
                </Stack>
              ))}
            </Group>
          )}
          <UploadList {...uploads} />
          {!disabled && value.length < max && (
            <Group gap="sm">
              <FileButton accept="image/*,.heic,.heif,.avif" multiple onChange={add}>
                {(props) => (
                  <Button {...props} variant="default" size="xs" leftSection={<IconPhotoPlus size={16} />}>
                    {say("addPictures")}
                  </Button>
                )}
              </FileButton>
              <Button variant="default" size="xs" leftSection={<IconLibraryPhoto size={16} />} onClick={() => setChoosing(true)}>
                {say("fromLibrary")}
              </Button>
              <ByAddress onAdd={(address) => uploads.add([address])} />
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {say("dropPictures")}
              </Text>
            </Group>
          )}
        </Stack>
      </Paper>
      <Suspense>
        {choosing && (
          <LibraryDialog
            only="image"
            taken={value}
            max={max - value.length}
            onClose={() => setChoosing(false)}
            onChoose={(files) => {
              setChoosing(false);
              change([...latest.current, ...files.map((f) => f.id)]);
            }}
          />
        )}
        {described && <AltDialog id={described} onClose={() => setDescribed(null)} />}
      </Suspense>
    </Input.Wrapper>
  );
}
