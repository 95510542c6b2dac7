import { useBlocker } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { prefix, same } from "./kept";

// Input is what a person changed of a form, and what the changed fields held when they began.
interface Input<T> {
  changes: Partial<T>;
  before: Partial<T>;
}

const none = { changes: {}, before: {} };

// useEdit holds what a person changed of a form. Unsaved input survives a reload, guards against
// leaving, and is compared with what the form was loaded with, field by field. Of a value that is
// Unkept nothing is left after a reload. staysOn says that the form stays where only the query of the
// address changes.
export function useEdit<T extends Record<string, unknown>>(key: string, base: T, staysOn?: "path") {
  const storageKey = prefix + key;
  const [{ changes, before }, setInput] = useState<Input<T>>(() => stored<T>(storageKey));
  const [restored] = useState(() => Object.keys(changes).length > 0);
  const leaving = useRef(false);

  const values = useMemo(() => ({ ...base, ...changes }), [base, changes]);
  const changed = useMemo(() => (Object.keys(changes) as (keyof T)[]).filter((k) => !same(changes[k], base[k])), [base, changes]);
  const dirty = changed.length > 0;
  // Fields that another person saved since this person began to change them. The form was loaded
  // again since, so the server sees no conflict.
  const overtaken = useMemo(() => changed.some((k) => k in before && !same(before[k], base[k])), [changed, before, base]);

  // It is kept after the letter is shown: to write it is slow.
  useEffect(() => {
    const keep = setTimeout(() => (dirty ? sessionStorage.setItem(storageKey, JSON.stringify({ changes, before })) : sessionStorage.removeItem(storageKey)));
    return () => clearTimeout(keep);
  }, [storageKey, changes, before, dirty]);

  const set = useCallback(
    <K extends keyof T>(name: K, value: T[K]) => {
      leaving.current = false;
      setInput(({ changes, before }) => ({ changes: { ...changes, [name]: value }, before: name in before ? before : { ...before, [name]: base[name] } }));
    },
    [base],
  );

  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && !leaving.current && !(staysOn && current.pathname === next.pathname),
    enableBeforeUnload: false, // a reload restores the input
    withResolver: true,
  });

  return {
    values,
    changed,
    dirty,
    overtaken,
    restored,
    blocker,
    set,
    reset: useCallback(() => setInput(none), []),
    // done forgets the input, before the page moves on by itself. That may happen before the form is
    // drawn again, so nothing stops it until something is typed.
    done: () => {
      leaving.current = true;
      sessionStorage.removeItem(storageKey);
      setInput(none);
    },
  };
}

// keepUnsaved leaves input for a form that is opened next.
export function keepUnsaved(key: string, changes: Record<string, unknown>) {
  sessionStorage.setItem(prefix + key, JSON.stringify({ ...none, changes }));
}

function stored<T>(key: string): Input<T> {
  try {
    return { ...none, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Input<T>>) };
  } catch {
    return none;
  }
}
