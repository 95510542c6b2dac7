import { Button, Group, Modal, Select, SimpleGrid, Skeleton, Stack, Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { currentShop } from "../api/client";
import { Failure } from "../frame/Failure";
import { useWords } from "../words";
import { FileThumb } from "./FileThumb";
import { filesPage, filesQuery, folderOptions, foldersQuery, type FileSearch, type MediaFile } from "./library";
import { Pager } from "./Pager";
import { SearchBox } from "./SearchBox";

export interface LibraryDialogProps {
  only?: "image" | "video";
  taken: string[]; // files that are there already
  max: number; // how many more may be chosen
  onChoose: (files: MediaFile[]) => void;
  onClose: () => void;
}

// LibraryDialog chooses files of the media library.
export default function LibraryDialog({ only, taken, max, onChoose, onClose }: LibraryDialogProps) {
  const { say } = useWords();
  const shop = currentShop();
  const narrow = useMediaQuery("(max-width: 48em)");
  const [search, setSearch] = useState<FileSearch>(only ? { kind: only } : {});
  const [chosen, setChosen] = useState<MediaFile[]>([]);
  const list = useQuery(filesQuery(shop, search));
  const folders = useQuery(foldersQuery(shop));
  const change = (part: Partial<FileSearch>) => setSearch((s) => ({ ...s, page: undefined, ...part }));
  const isChosen = (f: MediaFile) => chosen.some((c) => c.id === f.id);

  const toggle = (f: MediaFile) =>
    setChosen((list) => {
      if (list.some((c) => c.id === f.id)) return list.filter((c) => c.id !== f.id);
      if (max === 1) return [f];
      return list.length < max ? [...list, f] : list;
    });

  return (
    <Modal opened onClose={onClose} title={say("fromLibrary")} size="xl" fullScreen={narrow ?? false} closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        <Group gap="xs">
          <SearchBox value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
          {(folders.data?.length ?? 0) > 0 && (
            <Select
              aria-label={say("folder")}
              placeholder={say("folder")}
              data={folderOptions(folders.data!)}
              value={search.folder ?? null}
              onChange={(v) => change({ folder: v ?? undefined })}
              searchable
              clearable
              clearButtonProps={{ "aria-label": say("clear") }}
              flex="1 1 180px"
            />
          )}
        </Group>
        {list.isError && !list.data ? (
          <Failure error={list.error} retry={() => void list.refetch()} />
        ) : list.isPending ? (
          <Skeleton h={240} />
        ) : list.data.result.length === 0 ? (
          <Text c="dimmed" py="xl" ta="center">
            {say("nothingFound")}
          </Text>
        ) : (
          <SimpleGrid cols={{ base: 3, xs: 4, sm: 5 }} spacing="xs">
            {list.data.result.map((f) => (
              <UnstyledButton key={f.id} className="tile" aria-pressed={isChosen(f)} disabled={taken.includes(f.id)} onClick={() => toggle(f)} title={f.original_name}>
                <FileThumb file={{ ...f, alt: "" }} size={96} />
                <Text size="xs" truncate dir="auto" component="span" display="block">
                  {f.original_name}
                </Text>
              </UnstyledButton>
            ))}
          </SimpleGrid>
        )}
        <Pager total={list.data?.total ?? 0} size={filesPage} page={search.page} onPage={(page) => setSearch((s) => ({ ...s, page }))} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say("cancel")}
          </Button>
          <Button disabled={chosen.length === 0} onClick={() => onChoose(chosen)}>
            {say("addChosen", { n: chosen.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
