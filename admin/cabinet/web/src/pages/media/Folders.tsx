import { ActionIcon, Breadcrumbs, Button, Group, Menu, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconDots, IconFolder, IconFolderPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { above, folderOptions, foldersQuery, type Folder } from "../../parts/library";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/media";

type Asked = "new" | "rename" | "move" | "delete";

// Folders shows where the list of files is in the tree of folders, and leads further.
export function Folders({ shop, id, writes, onGone }: { shop: string; id: string | undefined; writes: boolean; onGone: (parent: string) => void }) {
  const { say } = useWords(words);
  const { data: folders = [] } = useQuery(foldersQuery(shop));
  const [asked, setAsked] = useState<Asked | null>(null);
  const path = above(folders, id);
  const here = path.at(-1);
  const inside = folders.filter((f) => f.parent_id === (id ?? "0")).sort((a, b) => a.sort_order - b.sort_order);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {(here || inside.length > 0) && (
          <Breadcrumbs style={{ flexWrap: "wrap" }}>
            {here ? (
              <AnchorLink to="/$shop/files" params={{ shop }} size="sm">
                {say("allFiles")}
              </AnchorLink>
            ) : (
              <Text size="sm">{say("allFiles")}</Text>
            )}
            {path.map((f) =>
              f === here ? (
                <Text key={f.id} size="sm" fw={600} dir="auto">
                  {f.name}
                </Text>
              ) : (
                <AnchorLink key={f.id} to="/$shop/files" params={{ shop }} search={{ folder: f.id }} size="sm" dir="auto">
                  {f.name}
                </AnchorLink>
              ),
            )}
          </Breadcrumbs>
        )}
        {writes && here && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="subtle" aria-label={say("folderActions")}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setAsked("rename")}>{say("rename")}</Menu.Item>
              <Menu.Item onClick={() => setAsked("move")}>{say("moveFolder")}</Menu.Item>
              <Menu.Item color="red" onClick={() => setAsked("delete")}>
                {say("deleteFolder")}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      <Group gap="xs">
        {inside.map((f) => (
          <ButtonLink key={f.id} to="/$shop/files" params={{ shop }} search={{ folder: f.id }} variant="default" size="xs" maw="100%" leftSection={<IconFolder size={16} />} rightSection={<Text size="xs">{f.files_count}</Text>}>
            {f.name}
          </ButtonLink>
        ))}
        {writes && (
          <Button variant="subtle" size="xs" leftSection={<IconFolderPlus size={16} />} onClick={() => setAsked("new")}>
            {say("newFolder")}
          </Button>
        )}
      </Group>
      {asked && <Asking shop={shop} asked={asked} here={here} folders={folders} onClose={() => setAsked(null)} onGone={onGone} />}
    </Stack>
  );
}

interface AskingProps {
  shop: string;
  asked: Asked;
  here: Folder | undefined;
  folders: Folder[];
  onClose: () => void;
  onGone: (parent: string) => void;
}

function Asking({ shop, asked, here, folders, onClose, onGone }: AskingProps) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [name, setName] = useState(asked === "rename" ? here!.name : "");
  const [parent, setParent] = useState(here?.parent_id ?? "0");
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "folders"] });
  const put = (body: { name?: string; parent_id?: string }) => answer(api.PUT("/v1/storages/collections/{id}", { params: { path: { id: here!.id } }, body }));
  const calls: Record<Asked, () => Promise<unknown>> = {
    new: () => answer(api.POST("/v1/storages/collections", { body: { name, parent_id: here?.id ?? "0", mode: "folder" } })),
    rename: () => put({ name }),
    move: () => put({ parent_id: parent }),
    delete: () => answer(api.DELETE("/v1/storages/collections/{id}", { params: { path: { id: here!.id } } })),
  };
  const undo: Partial<Record<Asked, () => Promise<unknown>>> = {
    rename: () => put({ name: here!.name }).then(refresh),
    move: () => put({ parent_id: here!.parent_id }).then(refresh),
  };
  const run = useMutation({
    mutationFn: () => calls[asked](),
    onSuccess: async () => {
      onClose();
      if (asked === "delete") onGone(here!.parent_id);
      await refresh();
      told(say, say("saved"), undo[asked]);
    },
    onError: (error) => failed(say, error),
  });
  const titles = { new: say("newFolder"), rename: say("rename"), move: say("moveFolder"), delete: say("deleteFolder") };
  return (
    <Modal opened onClose={onClose} title={titles[asked]} closeButtonProps={{ "aria-label": say("close") }}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          run.mutate();
        }}
      >
        <Stack>
          {(asked === "new" || asked === "rename") && (
            <TextInput data-autofocus label={say("folderName")} value={name} onChange={(e) => setName(e.currentTarget.value)} required maxLength={255} dir="auto" />
          )}
          {asked === "move" && (
            <Select
              data-autofocus
              label={say("insideOf")}
              data={[{ value: "0", label: say("topLevel") }, ...folderOptions(folders, here!.id)]}
              value={parent}
              onChange={(v) => setParent(v ?? "0")}
              allowDeselect={false}
              searchable
            />
          )}
          {asked === "delete" && <Text size="sm">{say("deleteFolderText", { name: here!.name })}</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say("cancel")}
            </Button>
            <Button type="submit" color={asked === "delete" ? "red" : undefined} loading={run.isPending}>
              {asked === "delete" ? say("remove") : say("save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
