import { Button, Group, Modal, Radio, ScrollArea, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useWords } from "../words";
import { words } from "../words/conflict";
import type { ConflictProps } from "./Conflict";

// ConflictDialog shows what another person saved meanwhile, field by field, and lets the person choose.
// onChoose gets the names of the fields in which the other one wins.
export default function ConflictDialog({ who, differences, onChoose, onClose }: ConflictProps) {
  const { say } = useWords(words);
  const [theirs, setTheirs] = useState<string[]>([]);
  return (
    <Modal opened onClose={onClose} title={say("conflictTitle")} size="lg" closeButtonProps={{ "aria-label": say("close") }}>
      <Stack>
        <Text size="sm">{say("conflictText", { who: who || say("somebody") })}</Text>
        {differences.map((d) => (
          <Radio.Group
            key={d.name}
            label={d.label}
            value={theirs.includes(d.name) ? "theirs" : "mine"}
            onChange={(v) => setTheirs((t) => (v === "theirs" ? [...t, d.name] : t.filter((n) => n !== d.name)))}
          >
            <Stack gap={4} mt={4}>
              {(["mine", "theirs"] as const).map((side) => (
                <Radio
                  key={side}
                  value={side}
                  label={
                    <ScrollArea.Autosize mah={120}>
                      <Text size="sm" component="span" dir="auto">
                        <b>{say(side)}:</b> {d[side] || "—"}
                      </Text>
                    </ScrollArea.Autosize>
                  }
                />
              ))}
            </Stack>
          </Radio.Group>
        ))}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say("cancel")}
          </Button>
          <Button onClick={() => onChoose(theirs)}>{say("keepChosen")}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
