import { Alert, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { Refusal, type Fault } from "../api/client";
import { faultText } from "../frame/Failure";
import { useWords } from "../words";
import { Conflict } from "./Conflict";
import { same } from "./kept";
import { failed, told } from "./notice";
import { SaveBar } from "./SaveBar";
import type { useEdit } from "./useEdit";

export type Faults = Partial<Record<string, string>>;

// EditForm saves what a person changed of one object. Refusals are shown beside the fields until
// these are changed, and the first one gets the focus. If another person saved other fields
// meanwhile, both changes are kept; of fields that both changed the person chooses.
export function EditForm<T, F extends Record<string, unknown>>({
  edit,
  base,
  send,
  onSaved,
  onTheirs,
  fieldsOf,
  fieldAt,
  reason,
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
  reason?: (fault: Fault) => string;
  labels: Record<string, string>;
  show: (name: keyof F, value: unknown) => string;
  locked: boolean;
  children: (faults: Faults, refused: Fault[]) => ReactNode;
}) {
  const { say } = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<{ faults: Fault[]; values: F }>();
  const [conflict, setConflict] = useState<{ current: T; who: string }>();
  const reasonOf = reason ?? ((f: Fault) => faultText(f, say));

  const refused = (refusal?.faults ?? []).filter((f) => {
    const name = fieldAt(f.place);
    return name && same(refusal!.values[name], edit.values[name]);
  });
  const faults: Faults = {};
  for (const f of refused) faults[fieldAt(f.place)!] ??= reasonOf(f);

  const save = useMutation({
    mutationFn: ({ changed, from }: { changed: (keyof F)[]; from: T | undefined }) => send(changed, from),
    onMutate: () => setRefusal(undefined),
    onSuccess: (saved) => {
      edit.done();
      setConflict(undefined);
      told(say, say("saved"));
      onSaved(saved);
    },
    onError: (error, { changed }) => {
      if (error instanceof Refusal && error.code === "EDIT_CONFLICT" && error.body.current) {
        const by = error.body.updated_by as { name?: string } | undefined;
        return merge(error.body.current as T, by?.name || say("somebody"), changed);
      }
      setConflict(undefined);
      const [first] = error instanceof Refusal ? error.faults : [];
      if (error instanceof Refusal) setRefusal({ faults: error.faults, values: edit.values });
      failed(say, first ? new Error(reasonOf(first)) : error);
    },
  });

  useLayoutEffect(() => {
    if (refusal && !save.isPending) form.current?.querySelector<HTMLElement>('[aria-invalid="true"], input[data-invalid="true"]')?.focus();
  }, [refusal, save.isPending]);

  function merge(current: T, who: string, changed: (keyof F)[]) {
    const other = fieldsOf(current);
    const before = base ? fieldsOf(base) : other;
    const byThem = Object.keys(other).filter((name) => !same(other[name], before[name]));
    if (changed.some((name) => byThem.includes(String(name)) && !same(other[name], edit.values[name]))) return setConflict({ current, who });
    if (byThem.length > 0) told(say, say("merged", { who, fields: byThem.map((name) => labels[name] ?? name).join(", ") }));
    save.mutate({ changed, from: current });
  }

  function differences(current: T) {
    const other = fieldsOf(current);
    return edit.changed
      .filter((name) => !same(other[name], edit.values[name]))
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
        {children(faults, refused)}
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
