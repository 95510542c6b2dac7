import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { folderOptions, foldersQuery, type MediaFile } from "../../parts/library";
import { failed, told } from "../../parts/notice";
import { patiently } from "../../parts/uploads";
import { useWords } from "../../words";
import { words } from "../../words/media";
import { DeleteFiles } from "./DeleteFiles";

const put = (id: string, file_ids: string[]) => answer(api.POST("/v1/storages/collections/{id}/files", { params: { path: { id } }, body: { file_ids } }));

async function takeOut(id: string, files: string[]) {
  for (const file_id of files) await patiently(() => answer(api.DELETE("/v1/storages/collections/{id}/files/{file_id}", { params: { path: { id, file_id } } })));
}

// FileBar does things with the selected files. A file can be in several folders.
export function FileBar({ shop, folder, selected, onDone }: { shop: string; folder: string | undefined; selected: MediaFile[]; onDone: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: folders = [] } = useQuery(foldersQuery(shop));
  const [asked, setAsked] = useState<"put" | "delete" | null>(null);
  const ids = selected.map((f) => f.id);
  async function refresh() {
    await Promise.all([queries.invalidateQueries({ queryKey: [shop, "files"] }), queries.invalidateQueries({ queryKey: [shop, "folders"] })]);
  }
  const done = async (text: string, undo: () => Promise<unknown>) => {
    setAsked(null);
    onDone();
    await refresh();
    told(say, text, () => undo().then(refresh));
  };
  const place = useMutation({
    mutationFn: async (to: string) => {
      await put(to, ids);
      if (folder) await takeOut(folder, ids);
    },
    onSuccess: (_, to) =>
      done(say("inFolder", { n: ids.length, name: folders.find((f) => f.id === to)?.name ?? "" }), async () => {
        if (folder) await put(folder, ids);
        await takeOut(to, ids);
      }),
    onError: (error) => failed(say, error),
  });
  const takingOut = useMutation({
    mutationFn: () => takeOut(folder!, ids),
    onSuccess: () => done(say("takenOut", { n: ids.length }), () => put(folder!, ids)),
    onError: (error) => failed(say, error),
  });
  return (
    <div className="save-bar" role="region" aria-label={say("actions")}>
      <Group justify="space-between">
        <Text size="sm">{say("selected", { n: selected.length })}</Text>
        <Group gap="xs">
          <Button size="sm" variant="default" onClick={() => setAsked("put")} disabled={folders.length === 0}>
            {say(folder ? "moveTo" : "toFolder")}
          </Button>
          {folder && (
            <Button size="sm" variant="default" loading={takingOut.isPending} onClick={() => takingOut.mutate()}>
              {say("outOfFolder")}
            </Button>
          )}
          <Button size="sm" variant="light" color="red" onClick={() => setAsked("delete")}>
            {say("remove")}
          </Button>
        </Group>
      </Group>
      {asked === "put" && (
        <PlaceDialog
          title={say(folder ? "moveTo" : "toFolder")}
          options={folderOptions(folders).filter((o) => o.value !== folder)}
          saving={place.isPending}
          onClose={() => setAsked(null)}
          onChoose={(to) => place.mutate(to)}
        />
      )}
      {asked === "delete" && (
        <DeleteFiles
          shop={shop}
          files={selected}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            onDone();
          }}
        />
      )}
    </div>
  );
}

interface PlaceProps {
  title: string;
  options: { value: string; label: string }[];
  saving: boolean;
  onClose: () => void;
  onChoose: (id: string) => void;
}

function PlaceDialog({ title, options, saving, onClose, onChoose }: PlaceProps) {
  const { say } = useWords(words);
  const [to, setTo] = useState<string | null>(null);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        <Select data-autofocus label={say("folder")} data={options} value={to} onChange={setTo} searchable />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say("cancel")}
          </Button>
          <Button disabled={!to} loading={saving} onClick={() => onChoose(to!)}>
            {say("save")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
