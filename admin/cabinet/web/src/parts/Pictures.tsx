import { ActionIcon, Button, FileButton, Group, Input, Paper, Progress, Stack, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPhotoPlus, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState, type DragEvent } from "react";
import { upload } from "../api/upload";
import { useWords } from "../words";
import { failed } from "./notice";
import { Picture } from "./Picture";

// Pictures is an ordered list of files: added by choosing, dropping or pasting, reordered by
// dragging or with the buttons.
export function Pictures({ label, value, onChange, max, error, disabled }: { label: string; value: string[]; onChange: (ids: string[]) => void; max: number; error?: string; disabled?: boolean }) {
  const { say } = useWords();
  const [uploads, setUploads] = useState<{ key: number; name: string; done: number }[]>([]);
  const next = useRef(0);
  const latest = useRef(value);
  latest.current = value;
  const stop = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    stop.current = controller;
    return () => controller.abort();
  }, []);

  async function add(files: Iterable<File>) {
    const images = [...files].filter((f) => f.type.startsWith("image/")).slice(0, max - latest.current.length);
    const queue = images.map((file) => ({ file, key: next.current++ }));
    setUploads((u) => [...u, ...queue.map(({ file, key }) => ({ key, name: file.name, done: 0 }))]);
    for (const { file, key } of queue) {
      try {
        const id = await upload(file, (done) => setUploads((u) => u.map((x) => (x.key === key ? { ...x, done } : x))), stop.current.signal);
        onChange([...latest.current, id]);
        latest.current = [...latest.current, id];
      } catch (fault) {
        if (!(fault instanceof DOMException)) failed(say, fault);
      } finally {
        setUploads((u) => u.filter((x) => x.key !== key));
      }
    }
  }

  function move(from: number, to: number) {
    if (to < 0 || to >= value.length || from === to) return;
    const list = [...value];
    const [taken] = list.splice(from, 1);
    list.splice(to, 0, taken!);
    onChange(list);
  }

  function drop(event: DragEvent, to?: number) {
    event.preventDefault();
    event.stopPropagation();
    if (disabled) return;
    const from = event.dataTransfer.getData("text/x-picture");
    if (from !== "") move(Number(from), to ?? value.length - 1);
    else void add(event.dataTransfer.files);
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
          if (!disabled && e.clipboardData.files.length > 0) void add(e.clipboardData.files);
        }}
      >
        <Stack gap="sm">
          <Group gap="sm">
            {value.map((id, i) => (
              <Stack key={id} gap={2} align="center" draggable={!disabled} onDragStart={(e) => e.dataTransfer.setData("text/x-picture", String(i))} onDrop={(e) => drop(e, i)}>
                <Picture id={id} size={96} alt={`${label} ${i + 1}`} />
                {!disabled && (
                  <Group gap={2}>
                    <ActionIcon size="sm" variant="subtle" aria-label={`${say("moveLeft")} ${i + 1}`} disabled={i === 0} onClick={() => move(i, i - 1)}>
                      <IconChevronLeft size={16} />
                    </ActionIcon>
                    <ActionIcon size="sm" variant="subtle" color="red" aria-label={`${say("removePicture")} ${i + 1}`} onClick={() => onChange(value.filter((v) => v !== id))}>
                      <IconX size={16} />
                    </ActionIcon>
                    <ActionIcon size="sm" variant="subtle" aria-label={`${say("moveRight")} ${i + 1}`} disabled={i === value.length - 1} onClick={() => move(i, i + 1)}>
                      <IconChevronRight size={16} />
                    </ActionIcon>
                  </Group>
                )}
              </Stack>
            ))}
          </Group>
          {uploads.map((u) => (
            <div key={u.key}>
              <Text size="xs" truncate>
                {u.name}
              </Text>
              <Progress value={u.done * 100} aria-label={u.name} />
            </div>
          ))}
          {!disabled && value.length < max && (
            <Group gap="sm">
              <FileButton accept="image/*" multiple onChange={(files) => void add(files)}>
                {(props) => (
                  <Button {...props} variant="default" size="xs" leftSection={<IconPhotoPlus size={16} />}>
                    {say("addPictures")}
                  </Button>
                )}
              </FileButton>
              <Text size="xs" c="dimmed" visibleFrom="sm">
                {say("dropPictures")}
              </Text>
            </Group>
          )}
        </Stack>
      </Paper>
    </Input.Wrapper>
  );
}
