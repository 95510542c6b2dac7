import { ActionIcon, Button, Checkbox, FileButton, Group, Select, SimpleGrid, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconLayoutGrid, IconList, IconPhotoScan, IconUpload } from "@tabler/icons-react";
import { useWindowEvent } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { FileThumb } from "../../parts/FileThumb";
import { Heading } from "../../parts/Heading";
import { filesOf, filesPage, filesQuery, kinds, type MediaFile } from "../../parts/library";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { failed } from "../../parts/notice";
import { Pager } from "../../parts/Pager";
import { SearchBox } from "../../parts/SearchBox";
import { UploadList, useUploads } from "../../parts/uploads";
import { useWords } from "../../words";
import { words } from "../../words/media";
import { FileBar } from "./FileBar";
import { Folders } from "./Folders";
import type { LibrarySearch } from "./routes";
import { sizeText } from "../../parts/size";

// Files is the media library of the shop.
export function Files() {
  const { shop } = useParams({ from: "/$shop/files" });
  const search = useSearch({ from: "/$shop/files" });
  const navigate = useNavigate({ from: "/$shop/files" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const list = useQuery(filesQuery(shop, search));
  const { data: passport } = useQuery(passportQuery(shop));
  const [selected, setSelected] = useState<string[]>([]);
  const key = JSON.stringify(search);
  useEffect(() => setSelected([]), [key]);
  useShownCall({ method: "GET", path: addressOf("/v1/storages/files", filesOf(search)) });

  const writes = passport?.capabilities.storage_write ?? false;
  const { folder } = search;
  const uploads = useUploads(async (id) => {
    if (folder) {
      await answer(api.POST("/v1/storages/collections/{id}/files", { params: { path: { id: folder } }, body: { file_id: id } })).catch((error: unknown) => failed(say, error));
      void queries.invalidateQueries({ queryKey: [shop, "folders"] });
    }
    void queries.invalidateQueries({ queryKey: [shop, "files"] });
  }, 3);
  const add = (files: Iterable<File>) => writes && uploads.add(files);
  useWindowEvent("paste", (e) => {
    if (e.clipboardData?.files.length) add(e.clipboardData.files);
  });

  const change = (part: Partial<LibrarySearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const items = list.data?.result ?? [];
  const total = list.data?.total ?? 0;
  const chosen = items.filter((f) => selected.includes(f.id));
  const View = search.view === "list" ? Rows : Tiles;

  return (
    <Stack
      mih="70vh"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        add(e.dataTransfer.files);
      }}
    >
      <Heading title={say("files")}>
        <Group gap="xs">
          <ButtonLink variant="default" to="/$shop/files/galleries" params={{ shop }} leftSection={<IconPhotoScan size={16} />}>
            {say("galleries")}
          </ButtonLink>
          {writes && (
            <FileButton multiple onChange={add}>
              {(props) => (
                <Button {...props} leftSection={<IconUpload size={16} />}>
                  {say("upload")}
                </Button>
              )}
            </FileButton>
          )}
        </Group>
      </Heading>
      <Group gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Select
          aria-label={say("kind")}
          placeholder={say("kind")}
          data={kinds.map((value) => ({ value, label: say(value === "file" ? "kind_other" : `kind_${value}`) }))}
          value={search.kind ?? null}
          onChange={(v) => change({ kind: (v as LibrarySearch["kind"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          w={170}
        />
        <ActionIcon.Group>
          {([undefined, "list"] as const).map((view) => (
            <ActionIcon
              key={view ?? "grid"}
              size={36}
              variant={search.view === view ? "filled" : "default"}
              aria-pressed={search.view === view}
              aria-label={say(view ? "asList" : "asGrid")}
              title={say(view ? "asList" : "asGrid")}
              onClick={() => void navigate({ search: (old) => ({ ...old, view }) })}
            >
              {view ? <IconList size={18} /> : <IconLayoutGrid size={18} />}
            </ActionIcon>
          ))}
        </ActionIcon.Group>
      </Group>
      <Folders shop={shop} id={folder} writes={writes} onGone={(parent) => change({ folder: parent === "0" ? undefined : parent })} />
      <UploadList {...uploads} />
      {writes && (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {say("dropFiles")}
        </Text>
      )}
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={320} role="status" aria-label={say("loading")} />
      ) : items.length === 0 ? (
        <Text py="xl" ta="center" c="dimmed">
          {say(search.q || search.kind ? "noFiles" : folder ? "emptyFolder" : "emptyLibrary")}
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" aria-live="polite">
            {say("filesFound", { n: total })}
          </Text>
          <View shop={shop} items={items} zone={passport?.store.timezone ?? "UTC"} selectable={writes} selected={selected} onSelect={setSelected} />
        </>
      )}
      <Pager total={total} size={filesPage} page={search.page} onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })} />
      {chosen.length > 0 && <FileBar shop={shop} folder={folder} selected={chosen} onDone={() => setSelected([])} />}
    </Stack>
  );
}

interface ViewProps {
  shop: string;
  items: MediaFile[];
  zone: string;
  selectable: boolean;
  selected: string[];
  onSelect: (ids: string[]) => void;
}

function Choice({ file, selected, onSelect, className }: { file: MediaFile; className?: string } & Pick<ViewProps, "selected" | "onSelect">) {
  return (
    <Checkbox size="md"
      {...(className ? { className } : {})}
      aria-label={file.original_name}
      checked={selected.includes(file.id)}
      onChange={(e) => onSelect(e.currentTarget.checked ? [...selected, file.id] : selected.filter((id) => id !== file.id))}
    />
  );
}

function Tiles({ shop, items, selectable, selected, onSelect }: ViewProps) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, sm: 4, lg: 6, xl: 8 }} spacing="xs">
      {items.map((f) => (
        <div key={f.id} className="tile" style={{ position: "relative" }}>
          <AnchorLink to="/$shop/files/$id" params={{ shop, id: f.id }} c="var(--mantine-color-text)" title={f.original_name} underline="never" display="block">
            <FileThumb file={{ ...f, alt: "" }} size={160} />
            <Text size="xs" truncate dir="auto" component="span" display="block" mt={4}>
              {f.original_name}
            </Text>
          </AnchorLink>
          {selectable && <Choice className="tile-choice" file={f} selected={selected} onSelect={onSelect} />}
        </div>
      ))}
    </SimpleGrid>
  );
}

function Rows({ shop, items, zone, selectable, selected, onSelect }: ViewProps) {
  const { say, language } = useWords(words);
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table highlightOnHover verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {selectable && <Table.Th w={40} aria-label={say("selected", { n: selected.length })} />}
            <Table.Th>{say("fileName")}</Table.Th>
            <Table.Th>{say("type")}</Table.Th>
            <Table.Th ta="right">{say("size")}</Table.Th>
            <Table.Th>{say("added")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((f) => (
            <Table.Tr key={f.id}>
              {selectable && (
                <Table.Td>
                  <Choice file={f} selected={selected} onSelect={onSelect} />
                </Table.Td>
              )}
              <Table.Td>
                <Group gap="sm" wrap="nowrap">
                  <FileThumb file={{ ...f, alt: "" }} size={40} />
                  <AnchorLink to="/$shop/files/$id" params={{ shop, id: f.id }} size="sm" c="var(--mantine-color-text)" dir="auto">
                    {f.original_name}
                  </AnchorLink>
                </Group>
              </Table.Td>
              <Table.Td>{f.mime.split(";")[0]}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                {sizeText(Number(f.size), language)}
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>{dateText(f.created_at, zone, language)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
