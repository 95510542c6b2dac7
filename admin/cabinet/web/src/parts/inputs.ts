import type { Faults } from "./EditForm";
import { bare, Unkept } from "./kept";
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
    // unkept is a text that is never stored, such as a secret.
    unkept: (name: NamesOf<F, Unkept<string>>, maxLength: number) => ({
      label: labels[name],
      value: (values[name] as Unkept<string>).value,
      onChange: (e: { currentTarget: { value: string } }) => put(name, new Unkept(e.currentTarget.value)),
      error: faults[name],
      readOnly: locked,
      maxLength,
      autoComplete: "off",
    }),
    choice: (name: NamesOf<F, string>) => ({
      label: labels[name],
      value: values[name] as string,
      onChange: (v: string | null) => put(name, v ?? ""),
      error: faults[name],
      readOnly: locked,
      allowDeselect: false,
    }),
    flag: (name: NamesOf<F, boolean> | NamesOf<F, Unkept<boolean>>) => ({
      label: labels[name],
      checked: bare(values[name]) as boolean,
      onChange: (e: { currentTarget: { checked: boolean } }) => put(name, values[name] instanceof Unkept ? new Unkept(e.currentTarget.checked) : e.currentTarget.checked),
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
