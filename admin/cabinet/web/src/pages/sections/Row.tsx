import { ActionIcon, Badge, Group, Menu, Text, type RenderTreeNodePayload } from "@mantine/core";
import { IconChevronRight, IconDotsVertical, IconGripVertical } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { DragEvent } from "react";
import { AnchorLink } from "../../parts/links";
import type { Section, SectionTree } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { KindIcon } from "./KindIcon";
import { stepOf, type Step } from "./moves";
import type { Actions } from "./useActions";

export interface RowProps {
  shop: string;
  tree: SectionTree;
  section: Section;
  writes: boolean;
  active: boolean;
  actions: Actions;
  onStep: (section: Section, step: Step) => void;
  onMoveTo: (section: Section) => void;
  drop: string | undefined;
  drag: { onDragStart: (e: DragEvent) => void; onDragOver: (e: DragEvent) => void; onDragEnd: (e: DragEvent) => void; onDrop: (e: DragEvent) => void };
}

export const steps: Step[] = ["up", "down", "in", "out"];

// Row is a section in the tree.
export function Row({ payload, shop, tree, section: s, writes, active, actions, onStep, onMoveTo, drop, drag }: RowProps & { payload: RenderTreeNodePayload }) {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const { elementProps, hasChildren, expanded, level } = payload;
  return (
    <div
      {...elementProps}
      {...(writes ? { draggable: true, ...drag } : {})}
      ref={(row) => row?.parentElement?.setAttribute("aria-level", String(level))} // a flat list shows no levels by itself
      className={`${elementProps.className} section-row`}
      data-drag-over={drop}
    >
      {writes && <IconGripVertical size={16} className="section-grip" aria-hidden />}
      {hasChildren ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          tabIndex={-1}
          aria-label={say(expanded ? "fold" : "open", { name: s.name })}
          onClick={(e) => {
            e.stopPropagation();
            payload.tree.toggleExpanded(payload.node.value);
          }}
        >
          <IconChevronRight size={16} style={{ transform: expanded ? "rotate(90deg)" : undefined }} />
        </ActionIcon>
      ) : (
        <span className="section-space" />
      )}
      <KindIcon kind={s.type} />
      <AnchorLink to="/$shop/sections/$id" params={{ shop, id: String(s.id) }} tabIndex={-1} size="sm" fw={500} truncate c={s.is_published ? "var(--mantine-color-text)" : "dimmed"} dir="auto" title={s.name} draggable={false}>
        {s.name}
      </AnchorLink>
      <Text size="xs" c="dimmed" truncate visibleFrom="sm" flex="0 1 auto" dir="ltr">
        {tree.pathOf(s)}
      </Text>
      <Group gap={4} ml="auto" wrap="nowrap">
        {s.is_home && <Badge variant="light" tt="none" size="sm">{say("home")}</Badge>}
        {!s.is_published && <Badge variant="light" color="gray" tt="none" size="sm">{say("hiddenSection")}</Badge>}
        {!s.is_show_menu && <Badge variant="light" color="gray" tt="none" size="sm" visibleFrom="sm">{say("notInMenu")}</Badge>}
        {writes && (
          // Keys in the menu, which is not inside the row, would reach the tree.
          <span onKeyDown={(e) => e.stopPropagation()} onClick={(e) => e.stopPropagation()}>
            <Menu position="bottom-end" withinPortal>
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" aria-label={say("actionsOf", { name: s.name })} tabIndex={active ? 0 : -1}>
                  <IconDotsVertical size={18} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => void navigate({ to: "/$shop/sections/$id", params: { shop, id: String(s.id) } })}>{say("edit")}</Menu.Item>
                <Menu.Item onClick={() => void navigate({ to: "/$shop/sections/$id", params: { shop, id: "new" }, search: { parent: s.id, kind: s.type } })}>{say("newInside")}</Menu.Item>
                <Menu.Divider />
                {steps.map((step) => (
                  <Menu.Item key={step} disabled={!stepOf(tree, s, step)} onClick={() => onStep(s, step)}>
                    {say(`step_${step}`)}
                  </Menu.Item>
                ))}
                <Menu.Item onClick={() => onMoveTo(s)}>{say("moveTo")}</Menu.Item>
                <Menu.Divider />
                <Menu.Item onClick={() => actions.setting.mutate({ section: s, item: { is_published: !s.is_published } })}>{say(s.is_published ? "unpublish" : "publish")}</Menu.Item>
                <Menu.Item onClick={() => actions.setting.mutate({ section: s, item: { is_show_menu: !s.is_show_menu } })}>{say(s.is_show_menu ? "hideFromMenu" : "showInMenu")}</Menu.Item>
                <Menu.Item color="red" onClick={() => actions.removing.mutate(s)}>
                  {say("remove")}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </span>
        )}
      </Group>
    </div>
  );
}
