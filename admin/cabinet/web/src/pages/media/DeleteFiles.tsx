import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import type { MediaFile } from "../../parts/library";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/media";
import { Uses, usageQuery } from "./Uses";

// DeleteFiles asks before files are deleted, because they cannot be restored: it shows first where
// they are used.
export function DeleteFiles({ shop, files, onClose, onDone }: { shop: string; files: MediaFile[]; onClose: () => void; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const usages = useQueries({ queries: files.map((f) => usageQuery(shop, f.id)) });
  const known = usages.every((u) => u.data);
  const used = files.map((file, i) => ({ file, usage: usages[i]!.data })).filter((f) => (f.usage?.total ?? 0) > 0);
  const unused = files.filter((f) => !used.some((u) => u.file.id === f.id));

  const remove = useMutation({
    mutationFn: (list: MediaFile[]) => answer(api.POST("/v1/storages/files/delete", { body: { ids: list.map((f) => f.id) } })),
    onMutate: () => void queries.cancelQueries({ queryKey: [shop, "file"] }), // nothing is asked about a file that is gone
    onSuccess: async ({ results, failed: count }) => {
      onDone();
      await queries.invalidateQueries({ queryKey: [shop, "files"] });
      void queries.invalidateQueries({ queryKey: [shop, "folders"] });
      told(say, say("filesDeleted", { n: results.length - count }));
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Modal opened onClose={onClose} title={say("deleteTitle", { n: files.length })} size="lg" closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        <Text size="sm">{say("deleteText")}</Text>
        {files.length === 1 && (
          <Text size="sm" fw={600} dir="auto">
            {files[0]!.original_name}
          </Text>
        )}
        {!known && <Skeleton h={60} />}
        {known && used.length > 0 && (
          <Alert variant="default" title={say("usedFiles", { n: used.length })}>
            <Stack mah={320} style={{ overflowY: "auto" }} tabIndex={0}>
              {used.map(({ file, usage }) => (
                <div key={file.id}>
                  {files.length > 1 && (
                    <Text size="sm" fw={600} dir="auto">
                      {file.original_name}
                    </Text>
                  )}
                  <Uses shop={shop} usage={usage!} />
                </div>
              ))}
            </Stack>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {say("cancel")}
          </Button>
          {known && used.length > 0 && unused.length > 0 && (
            <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate(unused)}>
              {say("deleteUnused")}
            </Button>
          )}
          <Button color="red" disabled={!known} loading={remove.isPending} onClick={() => remove.mutate(files)}>
            {say("deleteAll")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
