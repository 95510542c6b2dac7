import { Button, Group, Text } from "@mantine/core";
import { useCallbackRef, useWindowEvent } from "@mantine/hooks";
import { memo } from "react";
import { useWords } from "../words";
import { Leaving } from "./Leaving";
import type { useEdit } from "./useEdit";

// SaveBar names what is not saved and asks before the person leaves without saving.
export function SaveBar({
  edit,
  labels,
  saving,
  onSave,
}: {
  edit: Pick<ReturnType<typeof useEdit>, "dirty" | "blocker" | "reset"> & { changed: PropertyKey[] };
  labels: Record<string, string>;
  saving: boolean;
  onSave: () => void;
}) {
  const { say } = useWords();
  const save = useCallbackRef(onSave);
  useWindowEvent("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === "s") {
      e.preventDefault();
      if (edit.dirty && !saving) onSave();
    }
  });
  return (
    <>
      {edit.dirty && <Bar fields={[...new Set(edit.changed.map((k) => labels[String(k)] ?? String(k)))].join(", ")} saving={saving} onDiscard={edit.reset} onSave={save} />}
      <Leaving blocker={edit.blocker} text={say("leaveText")} onLeave={edit.reset} />
    </>
  );
}

// Bar is not drawn at each letter that is typed.
const Bar = memo(function Bar({ fields, saving, onDiscard, onSave }: { fields: string; saving: boolean; onDiscard: () => void; onSave: () => void }) {
  const { say } = useWords();
  return (
    <div className="save-bar" role="region" aria-label={say("save")}>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw="60%" lineClamp={2}>
          {say("unsaved", { fields })}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onDiscard} disabled={saving}>
            {say("discard")}
          </Button>
          <Button onClick={onSave} loading={saving}>
            {say("save")}
          </Button>
        </Group>
      </Group>
    </div>
  );
});
