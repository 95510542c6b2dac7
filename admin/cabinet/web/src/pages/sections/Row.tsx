import { ActionIcon, Badge, Group, Text, type RenderTreeNodePayload } from "@mantine/core";
import { IconChevronRight, IconDotsVertical, IconGripVertical } from "@tabler/icons-react";
import { memo, type DragEvent } from "react";
import { RowLink } from "../../parts/RowLink";
import type { Section } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";
import { KindIcon } from "./KindIcon";

interface Props {
  payload: RenderTreeNodePayload;
  shop: string;
  section: Section;
  path: string;
  writes: boolean;
  active: boolean;
  onFold: (value: string) => void;
  onMenu: (section: Section, button: HTMLElement) => void;
  drag: Record<"onDragStart" | "onDragOver" | "onDragEnd" | "onDrop", (e: DragEvent<HTMLElement>) => void>;
}

// Row is a section in the tree. It is drawn again when what it shows changes: each list from the server has
// other objects of the same sections. Its functions work with the list that is shown, whenever they were given.
export const Row = memo(function Row({ payload, shop, section: s, path, writes, active, onFold, onMenu, drag }: Props) {
  const { say } = useWords(words);
  const { elementProps, hasChildren, expanded, level } = payload;
  return (
    <div
      {...elementProps}
      {...(writes ? { draggable: true, ...drag } : {})}
      ref={(row) => row?.parentElement?.setAttribute("aria-level", String(level))} // a flat list shows no levels by itself
      className={`${elementProps.className} section-row`}
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
            onFold(payload.node.value);
          }}
        >
          <IconChevronRight size={16} style={{ transform: expanded ? "rotate(90deg)" : undefined }} />
        </ActionIcon>
      ) : (
        <span className="section-space" />
      )}
      <KindIcon kind={s.type} />
      <RowLink to="/$shop/sections/$id" params={{ shop, id: String(s.id) }} tabIndex={-1} data-cut data-pale={!s.is_published || undefined} title={s.name} draggable={false}>
        {s.name}
      </RowLink>
      <Text size="xs" c="dimmed" truncate visibleFrom="sm" flex="0 1 auto" dir="ltr">
        {path}
      </Text>
      <Group gap={4} ml="auto" wrap="nowrap" flex="none">
        {s.is_home && <Badge variant="light" tt="none" size="sm">{say("home")}</Badge>}
        {!s.is_published && <Badge variant="light" color="gray" tt="none" size="sm">{say("hiddenSection")}</Badge>}
        {!s.is_show_menu && <Badge variant="light" color="gray" tt="none" size="sm" visibleFrom="sm">{say("notInMenu")}</Badge>}
        {writes && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={say("actionsOf", { name: s.name })}
            aria-haspopup="menu"
            tabIndex={active ? 0 : -1}
            onClick={(e) => {
              e.stopPropagation();
              onMenu(s, e.currentTarget);
            }}
          >
            <IconDotsVertical size={18} />
          </ActionIcon>
        )}
      </Group>
    </div>
  );
}, (a, b) =>
  (["shop", "path", "writes", "active"] as const).every((k) => a[k] === b[k]) &&
  (["expanded", "hasChildren", "level", "selected"] as const).every((k) => a.payload[k] === b.payload[k]) &&
  looksAs(a.section, b.section));

// looksAs reports whether two states of a section are drawn in the same way, at the same place.
export const looksAs = (a: Section, b: Section) => a.seo.slug === b.seo.slug && (["id", "name", "type", "parent_id", "is_home", "is_published", "is_show_menu"] as const).every((k) => a[k] === b[k]);
