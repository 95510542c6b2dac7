import { Text } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/movein";

// Tally counts what an import wrote, by kind.
export function Tally({ written }: { written: { kind: string; created: number; changed: number }[] }) {
  const { say } = useWords(words);
  return (
    <>
      {written.map((w) => (
        <Text key={w.kind} size="sm">
          {w.kind}: {[w.created ? say("created", { n: w.created }) : "", w.changed ? say("changed", { n: w.changed }) : ""].filter(Boolean).join(", ")}
        </Text>
      ))}
    </>
  );
}
