import { ActionIcon, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconCopy, IconGripVertical, IconPlus, IconTrash } from "@tabler/icons-react";
import { useRef, useState, type DragEvent, type KeyboardEvent } from "react";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/design";
import type { Page, Part } from "./data";
import type { Reference } from "./reference";
import { bytesOf, entryOf, kindOf, labelOf, placeText, titleOf, type Block, type Place, type Section } from "./sections";

export interface Actions {
  open: (place: Place) => void;
  move: (from: Place, to: Place) => void;
  add: (part: Part, block: Block | undefined) => void;
  duplicate: (place: Place) => void;
  remove: (place: Place) => void;
}

// Outline lists the blocks of a page in the order of the page, with what can be done with each.
export function Outline({ shop, page, parts, sectionsOf, reference, locked, actions }: { shop: string; page: Page; parts: Part[]; sectionsOf: (block: Block) => Section[]; reference: Reference; locked: boolean; actions: Actions }) {
  const { say } = useWords(words);
  return (
    <Stack gap="lg">
      {parts
        .filter((p) => p.blocks.length > 0 || p.slot === "header" || p.slot === "footer")
        .map((part) => (
          <section key={part.slot} aria-label={say(`slot_${part.slot}`)}>
            <Group justify="space-between" gap="xs" mb={4}>
              <Text size="sm" fw={600}>
                {say(`slot_${part.slot}`)}
              </Text>
              {part.slot !== "own" && <Source shop={shop} page={page} part={part} />}
            </Group>
            {part.blocks.map((block) => (
              <Rows key={block.id} part={part} block={block} many={part.blocks.length > 1} sections={sectionsOf(block)} reference={reference} locked={locked} actions={actions} />
            ))}
            {part.blocks.length === 0 && (
              <Group gap="xs">
                <Text size="sm" c="dimmed">
                  {say("platformDraws")}
                </Text>
                {!locked && (
                  <Button size="compact-sm" variant="default" aria-label={`${say("makeOwn")}: ${say(`slot_${part.slot}`)}`} onClick={() => actions.add(part, undefined)}>
                    {say("makeOwn")}
                  </Button>
                )}
              </Group>
            )}
          </section>
        ))}
    </Stack>
  );
}

// Source says where a slot comes from: a change there is seen on all pages that take it from there.
function Source({ shop, page, part }: { shop: string; page: Page; part: Part }) {
  const { say } = useWords(words);
  const from = part.bound?.source;
  if (!from) return null;
  const own = from.type === page.type && Number(from.id) === page.id;
  return (
    <Text size="xs" c="dimmed">
      {own ? say("fromHere") : say("fromSource", { source: say(`source_${from.type as "shop"}`) })}{" "}
      <AnchorLink to="/$shop/design/slots" params={{ shop }} search={{ of: `${page.type}:${page.id}` }} size="xs">
        {say("slots")}
      </AnchorLink>
    </Text>
  );
}

function Rows({ part, block, many, sections, reference, locked, actions }: { part: Part; block: Block; many: boolean; sections: Section[]; reference: Reference; locked: boolean; actions: Actions }) {
  const { say, language } = useWords(words);
  const [over, setOver] = useState<string>();
  const root = useRef<HTMLOListElement>(null);
  const kind = "text/x-section";
  const full = sections.length >= reference.sections.max || bytesOf(sections) > reference.sections.max_bytes * 0.95;
  const step = (section: number, by: number) => actions.move({ block: block.id, section }, { block: block.id, section: section + by });

  function onKey(event: KeyboardEvent, i: number) {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (!event.altKey || !by || locked || i + by < 0 || i + by >= sections.length) return;
    event.preventDefault();
    step(i, by);
    requestAnimationFrame(() => root.current?.querySelectorAll<HTMLElement>("[data-row]")[i + by]?.focus());
  }
  function drop(event: DragEvent, to: number) {
    event.preventDefault();
    setOver(undefined);
    const [from, at] = event.dataTransfer.getData(kind).split("-");
    if (from && at) actions.move({ block: from, section: Number(at) }, { block: block.id, section: to });
  }

  return (
    <div>
      {many && (
        <Text size="xs" c="dimmed" truncate dir="auto" mt="xs">
          {block.name}
        </Text>
      )}
      <ol className="outline" ref={root}>
        {sections.map((section, i) => {
          const name = kindOf(section);
          const entry = entryOf(reference, name);
          const label = labelOf(entry, language, name || "?");
          const title = titleOf(section, entry);
          const place = { block: block.id, section: i };
          const called = [label, title].filter(Boolean).join(": ");
          return (
            <li
              key={i}
              draggable={!locked}
              data-over={over === placeText(place) || undefined}
              onDragStart={(e) => e.dataTransfer.setData(kind, placeText(place))}
              onDragOver={(e) => {
                if (!e.dataTransfer.types.includes(kind)) return;
                e.preventDefault();
                setOver(placeText(place));
              }}
              onDragLeave={() => setOver(undefined)}
              onDrop={(e) => drop(e, i)}
            >
              {!locked && <IconGripVertical size={16} className="grip" aria-hidden />}
              <Anchor component="button" type="button" className="outline-name" data-row data-place={placeText(place)} onClick={() => actions.open(place)} onKeyDown={(e) => onKey(e, i)} c="var(--mantine-color-text)" size="sm">
                <span>{label}</span>
                {title && (
                  <Text size="xs" c="dimmed" truncate dir="auto" component="span" display="block">
                    {title}
                  </Text>
                )}
              </Anchor>
              {!locked && (
                <Group gap={0} wrap="nowrap">
                  <ActionIcon size={26} variant="subtle" color="gray" aria-label={`${say("moveUp")}: ${called}`} disabled={i === 0} onClick={() => step(i, -1)}>
                    <IconArrowUp size={16} />
                  </ActionIcon>
                  <ActionIcon size={26} variant="subtle" color="gray" aria-label={`${say("moveDown")}: ${called}`} disabled={i === sections.length - 1} onClick={() => step(i, 1)}>
                    <IconArrowDown size={16} />
                  </ActionIcon>
                  <ActionIcon size={26} variant="subtle" color="gray" aria-label={`${say("duplicate")}: ${called}`} disabled={full} onClick={() => actions.duplicate(place)}>
                    <IconCopy size={16} />
                  </ActionIcon>
                  <ActionIcon size={26} variant="subtle" color="red" aria-label={`${say("remove")}: ${called}`} onClick={() => actions.remove(place)}>
                    <IconTrash size={16} />
                  </ActionIcon>
                </Group>
              )}
            </li>
          );
        })}
      </ol>
      {!locked && (
        <Group gap="xs" mt={4}>
          <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} disabled={full} onClick={() => actions.add(part, block)}>
            {say("addBlock")}
          </Button>
          {full && (
            <Text size="xs" c="dimmed">
              {say("blockFull")}
            </Text>
          )}
        </Group>
      )}
    </div>
  );
}
