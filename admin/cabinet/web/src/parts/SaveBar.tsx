import { Button, Group, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
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
  useWindowEvent("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === "s") {
      e.preventDefault();
      if (edit.dirty && !saving) onSave();
    }
  });
  return (
    <>
      {edit.dirty && (
        <div className="save-bar" role="region" aria-label={say("save")}>
          <Group justify="space-between">
            <Text size="sm" c="dimmed" maw="60%" lineClamp={2}>
              {say("unsaved", { fields: [...new Set(edit.changed.map((k) => labels[String(k)] ?? String(k)))].join(", ") })}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={edit.reset} disabled={saving}>
                {say("discard")}
              </Button>
              <Button onClick={onSave} loading={saving}>
                {say("save")}
              </Button>
            </Group>
          </Group>
        </div>
      )}
      <Leaving blocker={edit.blocker} text={say("leaveText")} onLeave={edit.reset} />
    </>
  );
}
