import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { useWords } from "../../words";
import { words } from "../../words/design";
import { starters, type Starter } from "./starters";

// Starters chooses a whole page to begin with, and a name for a new one.
export default function Starters({ named, saving, onChoose, onClose }: { named: boolean; saving: boolean; onChoose: (starter: Starter, name: string) => void; onClose: () => void }) {
  const { say, language } = useWords(words);
  const narrow = useMediaQuery("(max-width: 48em)");
  const list = starters(language);
  const [key, setKey] = useState(list[0]!.key);
  const [name, setName] = useState("");
  const chosen = list.find((s) => s.key === key)!;
  return (
    <Modal opened onClose={onClose} title={say(named ? "newPage" : "begin")} size="xl" fullScreen={narrow ?? false} closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        {named && <TextInput label={say("pageName")} value={name} placeholder={chosen.name} onChange={(e) => setName(e.currentTarget.value)} maxLength={255} dir="auto" data-autofocus />}
        <Radio.Group label={say("beginWith")} value={key} onChange={setKey}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
            {list.map((s) => (
              <Radio.Card key={s.key} value={s.key} p="sm" radius="sm">
                <Group wrap="nowrap" align="flex-start">
                  <Radio.Indicator />
                  <div>
                    <Text size="sm" fw={500}>
                      {s.name}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {s.about}
                    </Text>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </SimpleGrid>
        </Radio.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say("cancel")}
          </Button>
          <Button loading={saving} onClick={() => onChoose(chosen, name.trim() || chosen.name)}>
            {say(named ? "makePage" : "begin")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
