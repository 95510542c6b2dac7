import { ActionIcon } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { download } from "../api/download";
import { useWords } from "../words";
import { failed } from "./notice";

// ExportButton saves what a list shows as a file.
export function ExportButton({ label, exports, file }: { label: string; exports: string; file: string }) {
  const { say } = useWords();
  const get = useMutation({ mutationFn: () => download(exports, file), onError: (error) => failed(say, error) });
  return (
    <ActionIcon variant="default" size={36} aria-label={label} title={label} loading={get.isPending} onClick={() => get.mutate()}>
      <IconDownload size={18} />
    </ActionIcon>
  );
}
