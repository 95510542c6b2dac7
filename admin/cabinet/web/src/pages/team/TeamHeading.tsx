import type { ReactNode } from "react";
import { Heading } from "../../parts/Heading";
import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/team";

// TeamHeading leads to the pages of the team.
export function TeamHeading({ children }: { children?: ReactNode }) {
  const { say } = useWords(words);
  return (
    <>
      <Heading title={say("team")}>{children}</Heading>
      <Subpages
        label={say("team")}
        pages={[
          { to: "/$shop/team", label: say("members") },
          { to: "/$shop/team/audit", label: say("audit") },
        ]}
      />
    </>
  );
}
