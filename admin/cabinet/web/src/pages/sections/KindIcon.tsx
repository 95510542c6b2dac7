import { IconFileText, IconNews, IconPackage, IconWorld } from "@tabler/icons-react";
import type { Kind } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/sections";

const icons = { product: IconPackage, page: IconFileText, news: IconNews, site: IconWorld };

// KindIcon says with a picture what a section contains.
export function KindIcon({ kind }: { kind: Kind }) {
  const { say } = useWords(words);
  const Icon = icons[kind];
  return <Icon size={18} stroke={1.5} role="img" aria-label={say(`kind_${kind}_section`)} style={{ flex: "none" }} />;
}
