import { useSessionStorage } from "@mantine/hooks";

// useTyped holds what a person types into a form that makes one call. It survives a reload.
export function useTyped<T extends object>(key: string, initial: T) {
  const [changes, setChanges, forget] = useSessionStorage<Partial<T>>({ key: "unsaved:" + key, defaultValue: {}, getInitialValueInEffect: false });
  const values = { ...initial, ...changes };
  const set = (part: Partial<T>) => setChanges((c) => ({ ...c, ...part }));
  return {
    values,
    set,
    forget,
    // text are the properties of a field for a text.
    text: (name: keyof T & string) => ({
      name,
      value: values[name] as string,
      onChange: (e: { currentTarget: { value: string } }) => set({ [name]: e.currentTarget.value } as Partial<T>),
    }),
  };
}
