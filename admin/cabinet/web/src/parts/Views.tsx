import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { IconBookmark, IconX } from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import { useState } from "react";
import { useWords } from "../words";
import { words } from "../words/views";
import { AnchorLink } from "./links";
import { told } from "./notice";
import { maxViews, type View } from "./arrangement";

const address = (s: object) => JSON.stringify(Object.entries({ ...s, page: undefined }).filter(([, v]) => v !== undefined).sort());

// Views keeps what the search of a list has now under a name.
export function Views<S extends object>({ shop, to, search, views, onChange }: { shop: string; to: LinkProps["to"]; search: S; views: View<S>[]; onChange: (views: View<S>[]) => void }) {
  const { say } = useWords(words);
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  const current = views.find((v) => address(v.search) === address(search));
  const typed = name.trim();
  function add() {
    if (!typed) return;
    onChange([...views.filter((v) => v.name !== typed), { name: typed, search: { ...search, page: undefined } }].slice(-maxViews));
    setName("");
    setOpened(false);
  }
  function remove(view: View<S>) {
    onChange(views.filter((v) => v !== view));
    told(say, say("viewRemoved", { name: view.name }), async () => onChange(views));
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withinPortal width={300} position="bottom-end">
      <Popover.Target>
        <Button variant="default" leftSection={<IconBookmark size={16} />} onClick={() => setOpened((o) => !o)} maw={220}>
          {current?.name ?? say("views")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={say("views")}>
        <Stack gap="xs">
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              {say("noViews")}
            </Text>
          )}
          {views.map((v) => (
            <Group key={v.name} justify="space-between" wrap="nowrap" gap="xs">
              <AnchorLink to={to} params={{ shop } as never} search={v.search as never} size="sm" dir="auto" fw={v === current ? 600 : 400} onClick={() => setOpened(false)}>
                {v.name}
              </AnchorLink>
              <ActionIcon variant="subtle" color="red" aria-label={`${say("remove")} ${v.name}`} onClick={() => remove(v)}>
                <IconX size={16} />
              </ActionIcon>
            </Group>
          ))}
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <TextInput label={say("viewName")} flex={1} maxLength={60} value={name} onChange={(e) => setName(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && add()} dir="auto" />
            <Button onClick={add} disabled={!typed}>
              {say("save")}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
