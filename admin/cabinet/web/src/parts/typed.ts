import { useSessionStorage } from "@mantine/hooks";
import { prefix } from "./kept";

// useTyped holds what a person types into a form that makes one call. It survives a reload, and a
// value that is Unkept does not. kept tells whether something was typed before.
export function useTyped<T extends object>(key: string, initial: T) {
  const [changes, setChanges, forget] = useSessionStorage<Partial<T>>({ key: prefix + key, defaultValue: {}, getInitialValueInEffect: false });
  const values = { ...initial, ...changes };
  const set = (part: Partial<T>) => setChanges((c) => ({ ...c, ...part }));
  return {
    values,
    set,
    forget,
    kept: Object.keys(changes).length > 0,
    // text are the properties of a field for a text.
    text: (name: keyof T & string) => ({
      name,
      value: values[name] as string,
      onChange: (e: { currentTarget: { value: string } }) => set({ [name]: e.currentTarget.value } as Partial<T>),
    }),
  };
}
