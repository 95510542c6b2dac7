import type { ReactNode } from "react";
import { Heading } from "../../parts/Heading";
import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/integrations";

// AreaHeading leads to the pages about integrations.
export function AreaHeading({ children }: { children?: ReactNode }) {
  const { say } = useWords(words);
  return (
    <>
      <Heading title={say("integrations")}>{children}</Heading>
      <Subpages
        label={say("integrations")}
        pages={[
          { to: "/$shop/integrations", label: say("keys") },
          { to: "/$shop/integrations/assistants", label: say("assistants") },
          { to: "/$shop/integrations/selling", label: say("selling") },
          { to: "/$shop/integrations/webhooks", label: say("webhooks") },
          { to: "/$shop/integrations/events", label: say("events") },
        ]}
      />
    </>
  );
}
