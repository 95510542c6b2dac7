import { ActionIcon, Badge, Group, Input, Select, Stack, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer, api } from "../../api/client";
import { useLong } from "../../parts/long";
import { AnchorLink } from "../../parts/links";
import { FoundSelect } from "../../parts/FoundSelect";
import { ProductSelect } from "../../parts/ProductSelect";
import { SectionTree, treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/policies";
import type { Resource } from "./data";

const pages = { category: "/$shop/sections/$id", site_folder: "/$shop/sections/$id", product: "/$shop/products/$id", article: "/$shop/articles/$id" } as const;

// Resources chooses what a policy closes.
export function Resources({ shop, value, onChange, error, locked }: { shop: string; value: Resource[]; onChange: (list: Resource[]) => void; error?: string | undefined; locked: boolean }) {
  const { say } = useWords(words);
  const add = (r: Resource) => onChange([...value, r]);
  return (
    <Input.Wrapper label={say("what")} description={say("whatHint")} error={error} labelElement="div">
      <Stack gap="xs" mt="xs">
        {value.length === 0 && <Text size="sm">{say("nothingClosed")}</Text>}
        {value.map((r) => (
          <Group key={r.type + r.id} gap="xs" wrap="nowrap">
            <Badge variant="light" tt="none" color="gray" style={{ flex: "none" }}>
              {say(`type_${r.type}`)}
            </Badge>
            <AnchorLink to={pages[r.type]} params={{ shop, id: r.id }} size="sm" c="var(--mantine-color-text)" dir="auto" flex={1} miw={0}>
              {r.name}
            </AnchorLink>
            {!locked && (
              <ActionIcon variant="subtle" color="red" aria-label={`${say("clear")}: ${r.name}`} onClick={() => onChange(value.filter((x) => x !== r))}>
                <IconX size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!locked && value.length < 1000 && (
          <>
            <SectionSelect shop={shop} without={value} invalid={error !== undefined} onChoose={add} />
            <ProductSelect shop={shop} label={say("addProduct")} without={idsOf(value, "product")} onChoose={(id, name) => add({ type: "product", id: String(id), name })} />
            <ArticleSelect shop={shop} without={idsOf(value, "article")} onChoose={(id, name) => add({ type: "article", id: String(id), name })} />
          </>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const idsOf = (list: Resource[], type: Resource["type"]) => list.filter((r) => r.type === type).map((r) => Number(r.id));

interface Option {
  value: string;
  label: string;
  depth: number;
}

function SectionSelect({ shop, without, invalid, onChoose }: { shop: string; without: Resource[]; invalid: boolean; onChoose: (r: Resource) => void }) {
  const { say } = useWords(words);
  const { data: sections } = useQuery(treeQuery(shop));
  const tree = useMemo(() => new SectionTree((sections ?? []).filter((s) => !s.is_deleted)), [sections]);
  const options = useMemo(() => {
    const taken = new Set(without.filter((r) => r.type === "category" || r.type === "site_folder").map((r) => r.id));
    const list: Option[] = [];
    const add = (id: number, depth: number) => {
      for (const s of tree.children(id)) {
        if (!taken.has(String(s.id))) list.push({ value: String(s.id), label: s.name, depth });
        add(s.id, depth + 1);
      }
    };
    add(0, 0);
    return list;
  }, [tree, without]);
  return (
    <Select
      aria-label={say("addSection")}
      placeholder={say("addSection")}
      renderOption={({ option }) => (
        <Text size="sm" pl={Math.min((option as Option).depth, 6) * 14} dir="auto" lineClamp={2}>
          {option.label}
        </Text>
      )}
      value={null}
      onChange={(id) => {
        const section = tree.byID.get(Number(id));
        if (section) onChoose({ type: section.type === "site" ? "site_folder" : "category", id: String(section.id), name: section.name });
      }}
      error={invalid}
      nothingFoundMessage={say("nothingFound")}
      {...useLong(options, null)}
    />
  );
}

function ArticleSelect({ shop, without, onChoose }: { shop: string; without: number[]; onChoose: (id: number, name: string) => void }) {
  const { say } = useWords(words);
  return (
    <FoundSelect
      shop={shop}
      things="articles"
      placeholder={say("addArticle")}
      find={async (query, signal) => (await answer(api.GET("/articles", { params: { query: { query, "page.number": 1, "page.limit": 20 } }, signal }))).result}
      left={(a) => !without.includes(a.id)}
      idOf={(a) => String(a.id)}
      nameOf={(a) => a.title}
      onChoose={(a) => onChoose(a.id, a.title)}
    />
  );
}
