import { TextInput } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/account";

// PersonName is the field for the person's own name.
export function PersonName({ value, onChange, error }: { value: string; onChange: (name: string) => void; error: string | undefined }) {
  const { say } = useWords(words);
  return <TextInput label={say("personName")} name="name" autoComplete="name" maxLength={255} value={value} onChange={(e) => onChange(e.currentTarget.value)} error={error} dir="auto" />;
}
