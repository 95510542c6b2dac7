// What can be done to a section in the tree, each with its way back.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { failed, told } from "../../parts/notice";
import { treeQuery, type Section, type SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { move, moved, wayBack, type Move } from "./moves";

export function useActions(shop: string, tree: SectionTree) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "sections"] });
  const onError = (error: unknown) => {
    failed(say, error);
    void refresh();
  };
  const change = (id: number, item: { is_published?: boolean; is_show_menu?: boolean; is_deleted?: boolean }) =>
    answer(api.PUT("/categories/{id}", { params: { path: { id } }, body: { item } })).then(refresh);

  const moving = useMutation({
    mutationFn: ({ to, pin }: { to: Move; pin: boolean }) => move(to, { pin_rules: pin }),
    onMutate: ({ to }) => {
      const back = wayBack(tree, tree.byID.get(to.from_id)!);
      queries.setQueryData(treeQuery(shop).queryKey, moved(tree, to));
      return back;
    },
    onSuccess: (done, { to }, back) => {
      void refresh();
      const name = tree.byID.get(to.from_id)!.name;
      told(say, [say("moved", { name }), done.rules_created > 0 && say("rulesMade", { n: done.rules_created })].filter(Boolean).join(" "), () => move(back, done.rules_version === "0" ? {} : { unpin_version: done.rules_version }).then(refresh));
    },
    onError,
  });

  const setting = useMutation({
    mutationFn: ({ section, item }: { section: Section; item: { is_published?: boolean; is_show_menu?: boolean } }) => change(section.id, item),
    onSuccess: (_, { section, item }) => {
      const back = Object.fromEntries(Object.keys(item).map((k) => [k, section[k as keyof typeof item]]));
      told(say, `${section.name}: ${say("saved")}`, () => change(section.id, back));
    },
    onError,
  });

  const removing = useMutation({
    mutationFn: (section: Section) => answer(api.DELETE("/categories/{id}", { params: { path: { id: section.id } } })),
    onSuccess: (_, { id, name }) => {
      void refresh();
      const n = tree.count(id);
      told(say, n ? say("sectionsDeleted", { name, n }) : say("sectionDeleted", { name }), () => change(id, { is_deleted: false }));
    },
    onError,
  });

  const restoring = useMutation({
    mutationFn: (section: Section) => change(section.id, { is_deleted: false }),
    onSuccess: (_, { name }) => told(say, say("sectionRestored", { name })),
    onError,
  });
  return { moving, setting, removing, restoring };
}

export type Actions = ReturnType<typeof useActions>;
