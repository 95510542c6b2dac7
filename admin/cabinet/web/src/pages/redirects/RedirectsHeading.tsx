import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Heading } from "../../parts/Heading";
import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/redirects";

// RedirectsHeading is the head of the pages of redirects.
export function RedirectsHeading({ text, children }: { text?: string; children?: ReactNode }) {
  const { say } = useWords(words);
  return (
    <>
      <Heading title={say("redirects")}>{children}</Heading>
      <Subpages
        label={say("redirects")}
        pages={[
          { to: "/$shop/redirects", label: say("rules") },
          { to: "/$shop/redirects/misses", label: say("misses") },
          { to: "/$shop/redirects/check", label: say("check") },
          { to: "/$shop/redirects/order", label: say("order") },
          { to: "/$shop/redirects/versions", label: say("versions") },
        ]}
      />
      {text && (
        <Text size="sm" c="dimmed" maw={720}>
          {text}
        </Text>
      )}
    </>
  );
}
