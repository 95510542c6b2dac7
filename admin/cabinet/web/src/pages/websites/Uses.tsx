import { List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { foldersQuery, layoutsQuery, type Document, type Website } from "./data";
import type { Kind } from "./kinds";

// useName reads the name of a website where its own call does not have it.
export function useName(shop: string, kind: Kind, id: string, website: Website | undefined): string {
  const { data: folders } = useQuery({ ...foldersQuery(shop), enabled: kind === "folders" });
  const { data: layouts } = useQuery({ ...layoutsQuery(shop), enabled: kind === "layouts" });
  const name = website?.document?.name ?? folders?.find((s) => String(s.id) === id)?.name ?? layouts?.find((b) => String(b.id) === id)?.name;
  return name ?? id;
}

export type Use = Document["used_in"][number];
type UseType = "shop" | "category" | "category_children" | "product" | "article" | "theme" | "system";

// Uses lists what shows a document.
export function Uses({ shop, document }: { shop: string; document: Document }) {
  return <UseLinks shop={shop} uses={document.used_in} total={document.used_total} />;
}

export function UseLinks({ shop, uses, total }: { shop: string; uses: Use[]; total: number }) {
  const { say } = useWords(words);
  return (
    <List size="sm" spacing={4} listStyleType="none">
      {uses.map((use) => {
        const link = { params: { shop, id: use.id }, size: "sm", dir: "auto", children: use.name || use.id, style: { overflowWrap: "anywhere" } } as const;
        return (
          <List.Item key={use.type + use.id}>
            <Text span size="sm" c="dimmed">
              {say(`use_${use.type as UseType}`)}{" "}
            </Text>
            {use.type === "product" ? (
              <AnchorLink to="/$shop/products/$id" {...link} />
            ) : use.type === "article" ? (
              <AnchorLink to="/$shop/articles/$id" {...link} />
            ) : (
              use.type.startsWith("category") && <AnchorLink to="/$shop/sections/$id" {...link} />
            )}
          </List.Item>
        );
      })}
      {total > uses.length && <List.Item>{say("usedMore", { n: total - uses.length })}</List.Item>}
    </List>
  );
}
