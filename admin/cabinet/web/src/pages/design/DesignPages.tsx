import { Subpages } from "../../parts/Subpages";
import { useWords } from "../../words";
import { words } from "../../words/design";

// DesignPages leads to the screens of this area.
export function DesignPages() {
  const { say } = useWords(words);
  return (
    <Subpages
      label={say("design")}
      pages={[
        { to: "/$shop/design", label: say("pages") },
        { to: "/$shop/design/slots", label: say("slots") },
        { to: "/$shop/design/drafts", label: say("drafts") },
      ]}
    />
  );
}
