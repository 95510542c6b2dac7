import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";

const pages = { product: "/$shop/products/$id", category: "/$shop/sections/$id", article: "/$shop/articles/$id" } as const;

export interface PageRef {
  entity: keyof typeof pages;
  id: number;
}

// PageLink leads to the product, section or article that an address shows.
export function PageLink({ shop, page: { entity, id } }: { shop: string; page: PageRef }) {
  const { say } = useWords();
  return (
    <AnchorLink to={pages[entity]} params={{ shop, id: String(id) }} size="sm">
      {say(`kind_${entity}`)} {id}
    </AnchorLink>
  );
}
