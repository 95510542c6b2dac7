import { Menu } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Section, SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { stepOf, type Step } from "./moves";
import type { Actions } from "./useActions";

const steps: Step[] = ["up", "down", "in", "out"];

// RowMenu is the menu of one section. There is one for the whole tree, at the place of its row:
// a menu in each row would make walking through a long tree slow.
export function RowMenu({
  shop,
  tree,
  section: s,
  top,
  actions,
  onStep,
  onMoveTo,
  onClose,
}: {
  shop: string;
  tree: SectionTree;
  section: Section;
  top: number;
  actions: Actions;
  onStep: (section: Section, step: Step) => void;
  onMoveTo: (section: Section) => void;
  onClose: () => void;
}) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const set = (item: { is_published?: boolean; is_show_menu?: boolean }) => actions.setting.mutate({ section: s, item });
  return (
    <Menu opened onChange={onClose} position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <span role="button" aria-hidden aria-label={say("actionsOf", { name: s.name })} style={{ position: "absolute", top, insetInlineEnd: 4, height: 36, width: 1 }} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item data-autofocus onClick={() => void navigate({ to: "/$shop/sections/$id", params: { shop, id: String(s.id) } })}>{say("edit")}</Menu.Item>
        <Menu.Item onClick={() => void navigate({ to: "/$shop/sections/$id", params: { shop, id: "new" }, search: { parent: s.id, kind: s.type } })}>{say("newInside")}</Menu.Item>
        <Menu.Divider />
        {steps.map((step) => (
          <Menu.Item key={step} disabled={!stepOf(tree, s, step)} onClick={() => onStep(s, step)}>
            {say(`step_${step}`)}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onMoveTo(s)}>{say("moveTo")}</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => set({ is_published: !s.is_published })}>{say(s.is_published ? "unpublish" : "publish")}</Menu.Item>
        <Menu.Item onClick={() => set({ is_show_menu: !s.is_show_menu })}>{say(s.is_show_menu ? "hideFromMenu" : "showInMenu")}</Menu.Item>
        <Menu.Item onClick={() => actions.removing.mutate(s)}>{say("remove")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
