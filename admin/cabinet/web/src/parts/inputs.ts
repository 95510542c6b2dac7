import type { Faults } from "./EditForm";
import type { useEdit } from "./useEdit";

// NamesOf are the fields with values of a kind, without the index signature of the fields of forms.
type NamesOf<F, V> = keyof { [K in keyof F as string extends K ? never : F[K] extends V ? K : never]: V } & string;

// inputsOf makes the properties of inputs for the fields of a form.
export function inputsOf<F extends Record<string, unknown>>({ values, set }: Pick<ReturnType<typeof useEdit<F>>, "values" | "set">, faults: Faults, locked: boolean, labels: Record<string, string>) {
  const put = (name: keyof F, value: unknown) => set(name, value as F[keyof F]);
  return {
    text: (name: NamesOf<F, string>, maxLength: number) => ({
      label: labels[name],
      value: values[name] as string,
      onChange: (e: { currentTarget: { value: string } }) => put(name, e.currentTarget.value),
      error: faults[name],
      readOnly: locked,
      maxLength,
      dir: "auto" as const,
    }),
    choice: (name: NamesOf<F, string>) => ({
      label: labels[name],
      value: values[name] as string,
      onChange: (v: string | null) => put(name, v ?? ""),
      error: faults[name],
      readOnly: locked,
      allowDeselect: false,
    }),
    flag: (name: NamesOf<F, boolean>) => ({
      label: labels[name],
      checked: values[name] as boolean,
      onChange: (e: { currentTarget: { checked: boolean } }) => put(name, e.currentTarget.checked),
      error: faults[name],
      disabled: locked,
    }),
    pictures: (name: NamesOf<F, string[]>, max: number) => ({
      label: labels[name] ?? name,
      value: values[name] as string[],
      onChange: (ids: string[]) => put(name, ids),
      error: faults[name],
      disabled: locked,
      max,
    }),
  };
}
