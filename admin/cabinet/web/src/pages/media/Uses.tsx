import { List, Text } from "@mantine/core";
import { answer, api, type Schemas } from "../../api/client";
import { AnchorLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/media";

export type Usage = Schemas["MediaUsageView"];
type Use = Usage["result"][number];

export const usageQuery = (shop: string, id: string) => ({
  queryKey: [shop, "file", id, "usage"],
  queryFn: ({ signal }: { signal: AbortSignal }) => answer(api.GET("/v1/storages/files/{id}/usage", { params: { path: { id } }, signal })),
  staleTime: 0,
});

// Uses lists what refers to a file, with the pages where that can be changed.
export function Uses({ shop, usage }: { shop: string; usage: Usage }) {
  const { say } = useWords(words);
  const more = usage.total - usage.result.length;
  return (
    <List size="sm" spacing={4} listStyleType="none">
      {usage.result.map((use) => (
        <List.Item key={[use.kind, use.id, use.is_draft].join()}>
          <Text span size="sm" c="dimmed">
            {say(`use_${use.kind}`)}{" "}
          </Text>
          <Name shop={shop} use={use} />
          {use.is_draft && (
            <Text span size="sm" c="dimmed">
              {" "}
              ({say("inDraft")})
            </Text>
          )}
        </List.Item>
      ))}
      {more > 0 && <List.Item>{say("usedMore", { n: more })}</List.Item>}
    </List>
  );
}

function Name({ shop, use }: { shop: string; use: Use }) {
  const props = { params: { shop, id: use.id }, size: "sm", dir: "auto", children: use.name || use.id } as const;
  if (use.kind === "product" || use.kind === "variant") return <AnchorLink to="/$shop/products/$id" {...props} />;
  if (use.kind === "article") return <AnchorLink to="/$shop/articles/$id" {...props} />;
  if (use.kind === "category") return <AnchorLink to="/$shop/sections/$id" {...props} />;
  if (use.kind === "gallery") return <AnchorLink to="/$shop/files/galleries/$id" {...props} />;
  return (
    <Text span size="sm" dir="auto">
      {use.name}
    </Text>
  );
}
