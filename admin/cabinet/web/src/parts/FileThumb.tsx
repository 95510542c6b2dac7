import { Center, Stack, Text } from "@mantine/core";
import { IconBox, IconFile, IconMusic, IconVideo } from "@tabler/icons-react";
import type { Kind, MediaFile } from "./library";
import { Picture } from "./Picture";

const icons: Record<Exclude<Kind, "image">, typeof IconFile> = { video: IconVideo, audio: IconMusic, model: IconBox, file: IconFile };

// FileThumb shows a file of the library: a picture itself, of others what they are.
export function FileThumb({ file, size }: { file: Pick<MediaFile, "id" | "file_type" | "mime" | "alt">; size: number }) {
  if (file.file_type === "image") return <Picture id={file.id} size={size} alt={file.alt} />;
  const Icon = icons[file.file_type];
  return (
    <Center className="picture" w={size} h={size} aria-hidden>
      <Stack align="center" gap={4}>
        <Icon size={size / 3} stroke={1} />
        {size >= 96 && (
          <Text size="xs" truncate maw={size - 8}>
            {file.mime.split("/").pop()?.split(";")[0]}
          </Text>
        )}
      </Stack>
    </Center>
  );
}
