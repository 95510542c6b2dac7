import { PasswordInput } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/account";

// NewPassword is the field for a password that is being chosen.
export function NewPassword({ label, name = "password", value, onChange, error }: { label: string; name?: string; value: string; onChange: (password: string) => void; error: string | undefined }) {
  const { say } = useWords(words);
  return (
    <PasswordInput
      label={label}
      description={say("passwordRule")}
      name={name}
      autoComplete="new-password"
      required
      maxLength={256}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
      error={error}
    />
  );
}
