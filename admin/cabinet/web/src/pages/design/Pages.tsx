import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed } from "../../parts/notice";
import { SearchBox } from "../../parts/SearchBox";
import { SectionTree, type Section } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/design";
import { DesignPages } from "./DesignPages";
import { createPage, sectionsQuery } from "./data";
import "./design.css";

const Starters = lazy(() => import("./Starters"));

// Pages is the tree of the shop's pages. Each leads to its blocks.
export function Pages() {
  const { shop } = useParams({ from: "/$shop/design" });
  const { q } = useSearch({ from: "/$shop/design" });
  const navigate = useNavigate({ from: "/$shop/design" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(sectionsQuery(shop));
  const [creating, setCreating] = useState(false);
  useShownCall({ method: "GET", path: "/categories?view=menu", draft: true });
  const tree = new SectionTree(list.data ?? []);
  const home = tree.list.find((s) => s.is_home);
  const create = useMutation({
    mutationFn: ({ name, isHome, sections }: { name: string; isHome: boolean; sections: Parameters<typeof createPage>[2] }) => createPage(name, isHome, sections),
    onSuccess: (id) => {
      void queries.invalidateQueries({ queryKey: [shop, "design"] });
      void navigate({ to: "/$shop/design/$type/$id", params: { shop, type: "category", id: String(id) }, search: {} });
    },
    onError: (error) => failed(say, error),
  });
  const text = q?.toLowerCase() ?? "";
  const rows: { section: Section; depth: number }[] = [];
  const add = (id: number, depth: number) => {
    for (const section of tree.children(id)) {
      if (!text || section.name.toLowerCase().includes(text)) rows.push({ section, depth: text ? 0 : depth });
      add(section.id, depth + 1);
    }
  };
  add(0, 0);

  return (
    <Stack>
      <Heading title={say("design")}>
        {passport?.capabilities.catalog_write && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            {say("newPage")}
          </Button>
        )}
      </Heading>
      <DesignPages />
      <Group>
        <SearchBox key={shop} value={q ?? ""} onSearch={(value) => void navigate({ search: { q: value || undefined }, replace: true })} />
      </Group>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : !list.data ? (
        <Skeleton h={320} />
      ) : (
        <>
          <Text size="sm" c="dimmed" aria-live="polite">
            {say("pagesFound", { n: rows.length })}
          </Text>
          <ul className="outline">
            {!home && !text && (
              <li>
                <PageLink shop={shop} type="shop" id="0" name={say("homeOfPlatform")} />
              </li>
            )}
            {rows.map(({ section: s, depth }) => (
              <li key={s.id} style={{ marginInlineStart: Math.min(depth, 6) * 18 }}>
                <PageLink shop={shop} type="category" id={String(s.id)} name={s.name} />
                <Text size="xs" c="dimmed" truncate dir="ltr" visibleFrom="sm">
                  {tree.pathOf(s)}
                </Text>
                <Group gap={4} wrap="nowrap" ml="auto">
                  <Badge variant="light" color="gray" tt="none" size="sm">
                    {say(s.is_home ? "home" : `type_${s.type}`)}
                  </Badge>
                  {!s.is_published && (
                    <Badge variant="light" color="gray" tt="none" size="sm">
                      {say("hidden")}
                    </Badge>
                  )}
                </Group>
              </li>
            ))}
          </ul>
        </>
      )}
      <Suspense>
        {creating && (
          <Starters named saving={create.isPending} onClose={() => setCreating(false)} onChoose={(starter, name) => create.mutate({ name, isHome: starter.home && !home, sections: starter.sections })} />
        )}
      </Suspense>
    </Stack>
  );
}

function PageLink({ shop, type, id, name }: { shop: string; type: string; id: string; name: string }) {
  return (
    <AnchorLink to="/$shop/design/$type/$id" params={{ shop, type, id }} search={{}} size="sm" className="outline-name" truncate dir="auto" title={name} py={4}>
      {name}
    </AnchorLink>
  );
}
