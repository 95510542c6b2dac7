import { Radio, Stack } from "@mantine/core";
import type { Role } from "../../frame/session";
import { useWords } from "../../words";
import { words } from "../../words/team";
import { above, roles, type MemberRole } from "./data";

// RoleChoice offers the roles that somebody with a role may give.
export function RoleChoice({ own, value, onChange, error }: { own: Role; value: MemberRole; onChange: (role: MemberRole) => void; error: string | undefined }) {
  const { say } = useWords(words);
  return (
    <Radio.Group label={say("role")} value={value} onChange={(v) => onChange(v as MemberRole)} error={error}>
      <Stack gap="xs" mt={4}>
        {roles
          .filter((role) => !above(role, own))
          .map((role) => (
            <Radio key={role} value={role} label={say(role)} description={say(`may_${role}`)} />
          ))}
      </Stack>
    </Radio.Group>
  );
}
