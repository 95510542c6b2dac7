import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Failure } from "../frame/Failure";
import { useWords } from "../words";
import { failed } from "./notice";

// Effect is what an action would do to what is selected.
export interface Effect {
  changes: number;
  refused?: string[]; // the reason of each that would be refused
  more?: ReactNode;
}

export interface BulkAction {
  key: string;
  label: string;
  removes?: boolean;
  effect: () => Promise<Effect>;
  run: () => Promise<void>; // it reports its result itself
}

// BulkBar offers what can be done with the selected things. It shows the effect of an action before
// the action is run.
export function BulkBar({ count, actions, willChange, children }: { count: number; actions: BulkAction[]; willChange: (n: number) => string; children?: ReactNode }) {
  const { say } = useWords();
  const [chosen, setChosen] = useState<BulkAction>();
  const effect = useMutation({ mutationFn: (action: BulkAction) => action.effect() });
  const run = useMutation({
    mutationFn: (action: BulkAction) => action.run(),
    onSuccess: () => setChosen(undefined),
    onError: (error) => failed(say, error),
  });
  if (count === 0) return null;
  const refused = effect.data?.refused ?? [];
  return (
    <div className="save-bar" role="region" aria-label={say("actions")}>
      <Group justify="space-between">
        <Text size="sm">{say("selected", { n: count })}</Text>
        <Group gap="xs">
          {children}
          {actions.map((a) => (
            <Button
              key={a.key}
              size="sm"
              variant={a.removes ? "light" : "default"}
              color={a.removes ? "red" : undefined}
              onClick={() => {
                setChosen(a);
                effect.mutate(a);
              }}
            >
              {a.label}
            </Button>
          ))}
        </Group>
      </Group>
      <Modal opened={chosen !== undefined} onClose={() => setChosen(undefined)} title={chosen?.label} closeButtonProps={{ "aria-label": say("close") }}>
        <Stack>
          {effect.isError && <Failure error={effect.error} />}
          {effect.isSuccess && <Text>{willChange(effect.data.changes)}</Text>}
          {refused.length > 0 && (
            <Alert color="orange" variant="light">
              {say("willFail", { n: refused.length, why: [...new Set(refused)].slice(0, 3).join("; ") })}
            </Alert>
          )}
          {effect.data?.more}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setChosen(undefined)}>
              {say("cancel")}
            </Button>
            <Button data-autofocus disabled={!effect.data?.changes} loading={effect.isPending || run.isPending} onClick={() => chosen && run.mutate(chosen)}>
              {say("doIt")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </div>
  );
}
