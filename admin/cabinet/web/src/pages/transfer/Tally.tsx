import { Text } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/movein";

const names = { section: "ofSections", product: "ofProducts", attribute: "ofAttributes", rubric: "ofRubrics", article: "ofArticles", page: "ofPages", customer: "ofCustomers", redirect: "ofRedirects" } as const;

// Tally counts what an import wrote, by kind.
export function Tally({ written }: { written: { kind: string; created: number; changed: number }[] }) {
  const { say } = useWords(words);
  return (
    <div>
      {written.map((w) => (
        <Text key={w.kind} size="sm">
          {say(names[w.kind as keyof typeof names], { counts: [w.created ? say("created", { n: w.created }) : "", w.changed ? say("changed", { n: w.changed }) : ""].filter(Boolean).join(", ") })}
        </Text>
      ))}
    </div>
  );
}
