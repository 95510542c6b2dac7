import "@mantine/spotlight/styles.css";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api } from "../api/client";
import { useWords } from "../words";
import type { Area } from "./areas";

const [store, finder] = createSpotlight();

// Finder finds pages, actions and everything in the shop (Ctrl-K).
export default function Finder({ shop, areas, onClose }: { shop: string; areas: Area[]; onClose: () => void }) {
  const { say } = useWords();
  const navigate = useNavigate();
  useEffect(() => finder.open(), []);
  const [query, setQuery] = useState("");
  const [asked] = useDebouncedValue(query.trim(), 150);
  const found = useQuery({
    queryKey: [shop, "search", asked],
    queryFn: async ({ signal }) => (await answer(api.GET("/v1/search", { params: { query: { q: asked, limit: 20 } }, signal }))).result,
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  const own = [
    ...areas.map((a) => ({ id: a.key, label: say(a.key), go: () => void navigate({ to: a.to, params: { shop } }) })),
    ...(areas.some((a) => a.key === "orders") ? [{ id: "new-order", label: say("newOrder"), go: () => void navigate({ to: "/$shop/orders/new", params: { shop } }) }] : []),
    ...(areas.some((a) => a.key === "products") ? [{ id: "new-product", label: say("newProduct"), go: () => void navigate({ to: "/$shop/products/$id", params: { shop, id: "new" } }) }] : []),
    ...(areas.some((a) => a.key === "articles") ? [{ id: "new-article", label: say("newArticle"), go: () => void navigate({ to: "/$shop/articles/$id", params: { shop, id: "new" } }) }] : []),
    ...(areas.some((a) => a.key === "sections") ? [{ id: "new-section", label: say("newSection"), go: () => void navigate({ to: "/$shop/sections/$id", params: { shop, id: "new" } }) }] : []),
  ].filter((a) => a.label.toLowerCase().includes(query.trim().toLowerCase()));
  const things = asked ? (found.data ?? []) : [];
  return (
    <Spotlight.Root store={store} query={query} onQueryChange={setQuery} shortcut={null} onSpotlightClose={onClose} clearQueryOnClose attributes={{ content: { "aria-label": say("search") } }}>
      <Spotlight.Search aria-label={say("search")} placeholder={say("searchHint")} leftSection={<IconSearch size={18} />} />
      <Spotlight.ActionsList>
        {own.length > 0 && (
          <Spotlight.ActionsGroup label={say("goTo")}>
            {own.map((a) => (
              <Spotlight.Action key={a.id} label={a.label} onClick={a.go} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {things.map((m) => (
          <Spotlight.Action
            key={m.kind + m.id}
            label={m.title}
            description={[say(`kind_${m.kind}`), m.detail].filter(Boolean).join(" · ")}
            onClick={() => {
              if (m.kind === "product") void navigate({ to: "/$shop/products/$id", params: { shop, id: m.id } });
              else if (m.kind === "order") void navigate({ to: "/$shop/orders/$id", params: { shop, id: m.id } });
              else if (m.kind === "article") void navigate({ to: "/$shop/articles/$id", params: { shop, id: m.id } });
              else if (m.kind === "file") void navigate({ to: "/$shop/files/$id", params: { shop, id: m.id } });
              else if (m.kind === "category") void navigate({ to: "/$shop/sections/$id", params: { shop, id: m.id } });
              else if (m.kind === "redirect") void navigate({ to: "/$shop/redirects/$id", params: { shop, id: m.id } });
              else if (m.kind === "customer") void navigate({ to: "/$shop/customers/$id", params: { shop, id: m.id } });
              else if (m.url) window.open(m.url, "_blank", "noreferrer");
            }}
          />
        ))}
        {own.length + things.length === 0 && <Spotlight.Empty>{say("nothingFound")}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
