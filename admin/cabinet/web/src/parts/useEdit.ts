import { useBlocker } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

const prefix = "unsaved:";

// useEdit holds what a person changed of a form. Unsaved input survives a reload, guards against
// leaving, and is compared with what the form was loaded with, field by field.
export function useEdit<T extends Record<string, unknown>>(key: string, base: T) {
  const storageKey = prefix + key;
  const [changes, setChanges] = useState<Partial<T>>(() => stored<T>(storageKey));
  const [restored] = useState(() => Object.keys(changes).length > 0);
  const leaving = useRef(false);

  const values = useMemo(() => ({ ...base, ...changes }), [base, changes]);
  const changed = useMemo(() => (Object.keys(changes) as (keyof T)[]).filter((k) => JSON.stringify(changes[k]) !== JSON.stringify(base[k])), [base, changes]);
  const dirty = changed.length > 0;

  useEffect(() => {
    if (dirty) sessionStorage.setItem(storageKey, JSON.stringify(changes));
    else sessionStorage.removeItem(storageKey);
  }, [storageKey, changes, dirty]);

  const set = useCallback(<K extends keyof T>(name: K, value: T[K]) => setChanges((c) => ({ ...c, [name]: value })), []);

  const blocker = useBlocker({
    shouldBlockFn: () => dirty && !leaving.current,
    enableBeforeUnload: false, // a reload restores the input
    withResolver: true,
  });

  return {
    values,
    changed,
    dirty,
    restored,
    blocker,
    set,
    reset: () => setChanges({}),
    // done forgets the input, before the page moves on by itself.
    done: () => {
      leaving.current = true;
      sessionStorage.removeItem(storageKey);
      setChanges({});
      queueMicrotask(() => (leaving.current = false));
    },
  };
}

// keepUnsaved leaves input for a form that is opened next.
export function keepUnsaved(key: string, changes: Record<string, unknown>) {
  sessionStorage.setItem(prefix + key, JSON.stringify(changes));
}

function stored<T>(key: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Partial<T>) : {};
  } catch {
    return {};
  }
}
