import { ActionIcon, Badge, Button, Card as Panel, Group, Modal, Skeleton, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { SectionTree, treeQuery, type Section } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/articles";
import { rubricsOf } from "./data";

const change = (s: Section, item: Schemas["CatalogCategoryItemInput"]) => answer(api.PUT("/categories/{id}", { params: { path: { id: s.id } }, body: { item } }));
const move = (from: Section, to: Section, type: "before" | "after") => answer(api.POST("/categories/move", { body: { from_id: from.id, to_id: to.id, type } }));

// Rubrics are the sections that articles are kept in. Their other fields are those of sections.
export function Rubrics() {
  const { shop } = useParams({ from: "/$shop/articles/rubrics" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(treeQuery(shop));
  const [named, setNamed] = useState<Section | "new" | null>(null);
  useShownCall({ method: "GET", path: "/categories?view=menu" });
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "sections"] });
  const onError = (error: unknown) => failed(say, error);

  const act = useMutation({
    mutationFn: ({ run }: { run: () => Promise<unknown>; text: string; undo: () => Promise<unknown> }) => run(),
    onSuccess: async (_, { text, undo }) => {
      await refresh();
      told(say, text, () => undo().then(refresh));
    },
    onError,
  });

  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const writes = passport?.capabilities.catalog_write ?? false;
  const tree = new SectionTree(list.data ?? []);
  const rubrics = rubricsOf(list.data ?? []);

  return (
    <Stack maw={800}>
      <Heading back={{ to: "/$shop/articles", label: say("articles") }} title={say("rubrics")}>
        {writes && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setNamed("new")}>
            {say("newRubric")}
          </Button>
        )}
      </Heading>
      {list.isPending && <Skeleton h={200} />}
      {list.data && rubrics.length === 0 && (
        <Text py="xl" ta="center" c="dimmed">
          {say("noRubrics")}
        </Text>
      )}
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {rubrics.map(({ section: s, depth }) => {
          const siblings = tree.siblings(s).filter((x) => x.type === "news" && !x.is_deleted);
          const at = siblings.indexOf(s);
          const [before, after] = [siblings[at - 1], siblings[at + 1]];
          const all = tree.siblings(s);
          const above = all[all.indexOf(s) - 1];
          const back = () => (above ? move(s, above, "after") : move(s, all[1]!, "before"));
          const step = (to: Section | undefined, type: "before" | "after", label: string, icon: ReactNode) => (
            <ActionIcon
              variant="subtle"
              size="lg"
              aria-label={`${label}: ${s.name}`}
              disabled={!to}
              onClick={() => to && act.mutate({ run: () => move(s, to, type), text: `${s.name}: ${say("saved")}`, undo: back })}
            >
              {icon}
            </ActionIcon>
          );
          return (
            <Panel key={s.id} withBorder padding="xs" component="li" ml={depth * 20}>
              <Group justify="space-between" gap="xs">
                <Stack gap={2} miw={0} flex="1 1 180px">
                  <AnchorLink to="/$shop/articles" params={{ shop }} search={{ rubric: s.id }} fw={500} c="var(--mantine-color-text)" dir="auto">
                    {s.name}
                  </AnchorLink>
                  <Group gap="xs">
                    <Text size="sm" c="dimmed">
                      {say("articlesCount", { n: s.count_articles })}
                    </Text>
                    {!writes && !s.is_published && (
                      <Badge color="gray" variant="light" tt="none">
                        {say("hidden")}
                      </Badge>
                    )}
                  </Group>
                </Stack>
                {writes && (
                  <Group gap={2}>
                    <Switch
                      aria-label={`${say("published")}: ${s.name}`}
                      label={say("published")}
                      checked={s.is_published}
                      mr="xs"
                      onChange={() =>
                        act.mutate({
                          run: () => change(s, { is_published: !s.is_published }),
                          text: `${s.name}: ${say("saved")}`,
                          undo: () => change(s, { is_published: s.is_published }),
                        })
                      }
                    />
                    {step(before, "before", say("moveUp"), <IconArrowUp size={16} />)}
                    {step(after, "after", say("moveDown"), <IconArrowDown size={16} />)}
                    <ActionIcon variant="subtle" size="lg" aria-label={`${say("rename")}: ${s.name}`} onClick={() => setNamed(s)}>
                      <IconPencil size={16} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      size="lg"
                      aria-label={`${say("remove")}: ${s.name}`}
                      onClick={() =>
                        act.mutate({
                          run: () => answer(api.DELETE("/categories/{id}", { params: { path: { id: s.id } } })),
                          text: say("rubricDeleted", { name: s.name }),
                          undo: () => change(s, { is_deleted: false }),
                        })
                      }
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </Group>
                )}
              </Group>
            </Panel>
          );
        })}
      </Stack>
      {named && <Name rubric={named === "new" ? undefined : named} onClose={() => setNamed(null)} onSaved={refresh} />}
    </Stack>
  );
}

// Name names a new rubric, or another one anew.
function Name({ rubric, onClose, onSaved }: { rubric: Section | undefined; onClose: () => void; onSaved: () => Promise<void> }) {
  const { say } = useWords(words);
  const [name, setName] = useState(rubric?.name ?? "");
  const save = useMutation({
    mutationFn: (): Promise<unknown> =>
      rubric ? change(rubric, { name }) : answer(api.POST("/categories", { body: { item: { name, type: "news", is_published: true, is_show_menu: true } } })),
    onSuccess: async () => {
      await onSaved();
      told(say, say("saved"), rubric && (() => change(rubric, { name: rubric.name }).then(onSaved)));
      onClose();
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Modal opened onClose={onClose} title={say(rubric ? "rename" : "newRubric")} closeButtonProps={{ "aria-label": say("close") }}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <TextInput data-autofocus label={say("rubricName")} value={name} onChange={(e) => setName(e.currentTarget.value)} required maxLength={255} dir="auto" />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say("cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {say("save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
