import { Alert, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { Refusal } from "../api/client";
import { useWords } from "../words";
import { Conflict } from "./Conflict";
import { failed, told } from "./notice";
import { SaveBar } from "./SaveBar";
import type { useEdit } from "./useEdit";

export type Faults = Partial<Record<string, string>>;

// EditForm saves what a person changed of one object: refusals are shown beside the fields and the
// first one gets the focus; what another person saved meanwhile is shown to choose from.
export function EditForm<T, F extends Record<string, unknown>>({
  edit,
  base,
  send,
  onSaved,
  onTheirs,
  fieldsOf,
  fieldAt,
  labels,
  show,
  locked,
  children,
}: {
  edit: ReturnType<typeof useEdit<F>>;
  base: T | undefined; // undefined: a new object
  send: (changed: (keyof F)[], from: T | undefined) => Promise<T>;
  onSaved: (saved: T) => void;
  onTheirs: (current: T) => void;
  fieldsOf: (object: T) => F;
  fieldAt: (place: string) => string | undefined;
  labels: Record<string, string>;
  show: (name: keyof F, value: unknown) => string;
  locked: boolean;
  children: (faults: Faults) => ReactNode;
}) {
  const { say } = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  const [conflict, setConflict] = useState<{ current: T; who: string }>();

  const save = useMutation({
    mutationFn: ({ changed, from }: { changed: (keyof F)[]; from: T | undefined }) => send(changed, from),
    onMutate: () => setFaults({}),
    onSuccess: (saved) => {
      edit.done();
      setConflict(undefined);
      told(say, say("saved"));
      onSaved(saved);
    },
    onError: (error) => {
      if (error instanceof Refusal && error.code === "EDIT_CONFLICT" && error.body.current) {
        const by = error.body.updated_by as { name?: string } | undefined;
        return setConflict({ current: error.body.current as T, who: by?.name ?? "" });
      }
      const found: Faults = {};
      for (const f of error instanceof Refusal ? error.faults : []) {
        const name = fieldAt(f.place);
        if (name) found[name] ??= f.detail || f.code;
      }
      setConflict(undefined);
      setFaults(found);
      failed(say, error);
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    },
  });

  function differences(current: T) {
    const other = fieldsOf(current);
    return edit.changed
      .filter((name) => JSON.stringify(other[name]) !== JSON.stringify(edit.values[name]))
      .map((name) => ({ name: String(name), label: labels[String(name)] ?? String(name), mine: show(name, edit.values[name]), theirs: show(name, other[name]) }));
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        if (!edit.dirty || save.isPending) return;
        if (edit.overtaken && base) setConflict({ current: base, who: "" });
        else save.mutate({ changed: edit.changed, from: base });
      }}
    >
      <Stack>
        {edit.restored && <Alert variant="light">{say("restored")}</Alert>}
        {locked && <Alert variant="light">{say("noRight")}</Alert>}
        {children(faults)}
        <SaveBar edit={edit} labels={labels} saving={save.isPending} onSave={() => form.current?.requestSubmit()} />
      </Stack>
      {conflict && (
        <Conflict
          who={conflict.who}
          differences={differences(conflict.current)}
          onClose={() => setConflict(undefined)}
          onChoose={(theirs) => {
            const mine = edit.changed.filter((name) => !theirs.includes(String(name)));
            if (mine.length > 0) return save.mutate({ changed: mine, from: conflict.current });
            edit.done();
            setConflict(undefined);
            onTheirs(conflict.current);
          }}
        />
      )}
    </form>
  );
}
