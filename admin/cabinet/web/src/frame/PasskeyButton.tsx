import { Button } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useWords } from "../words";

// PasskeyButton is there in browsers that have passkeys.
export function PasskeyButton({ disabled, onClick }: { disabled: boolean; onClick: () => void }) {
  const { say } = useWords();
  if (!window.PublicKeyCredential) return null;
  return (
    <Button variant="default" leftSection={<IconFingerprint size={18} />} disabled={disabled} onClick={onClick}>
      {say("passkey")}
    </Button>
  );
}
