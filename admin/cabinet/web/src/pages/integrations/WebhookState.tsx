import { Badge } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import type { Webhook } from "./data";

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { say } = useWords(words);
  const [color, word] = !webhook.is_active ? (["gray", "off"] as const) : webhook.failing_since ? (["red", "failing"] as const) : (["teal", "on"] as const);
  return (
    <Badge variant="light" color={color} tt="none">
      {say(word)}
    </Badge>
  );
}
