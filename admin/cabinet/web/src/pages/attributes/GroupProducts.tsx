import { Group, Input, Select, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { AnchorLink } from "../../parts/links";
import { Picture } from "../../parts/Picture";
import { Place } from "../../parts/Place";
import { useWords } from "../../words";
import { words } from "../../words/attributes";

const most = 200;

// GroupProducts are the products of a group in their order.
export function GroupProducts({ shop, value, onChange, error, locked }: { shop: string; value: number[]; onChange: (ids: number[]) => void; error?: string | undefined; locked: boolean }) {
  const { say } = useWords(words);
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), 200);
  const named = useQuery({
    queryKey: [shop, "products", "named", [...value].sort((a, b) => a - b)],
    queryFn: async ({ signal }) => {
      const chunks = Array.from({ length: Math.ceil(value.length / 100) }, (_, i) => value.slice(i * 100, i * 100 + 100));
      const lists = await Promise.all(chunks.map((ids) => answer(api.GET("/products", { params: { query: { "filter.ids": ids, "page.number": 1, "page.limit": 100 } }, querySerializer: { array: { style: "form", explode: true } }, signal }))));
      return lists.flatMap((l) => l.result.items);
    },
    enabled: value.length > 0,
    placeholderData: keepPreviousData,
  });
  const found = useQuery({
    queryKey: [shop, "products", "find", asked],
    queryFn: async ({ signal }) => (await answer(api.GET("/products", { params: { query: { "filter.query": asked, "page.number": 1, "page.limit": 20 } }, signal }))).result.items,
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  const names = new Map(named.data?.map((p) => [p.id, p]));
  return (
    <Input.Wrapper label={say("products")} error={error} labelElement="div">
      <Stack gap="xs">
        {value.map((id, i) => {
          const product = names.get(id);
          return (
            <Group key={id} gap="xs" wrap="nowrap">
              <Picture id={product?.preview?.id} size={40} />
              <AnchorLink to="/$shop/products/$id" params={{ shop, id: String(id) }} size="sm" flex={1} miw={0} lineClamp={2} dir="auto">
                {product?.name ?? `#${id}`}
              </AnchorLink>
              {!locked && <Place list={value} at={i} name={product?.name ?? String(id)} onChange={onChange} />}
            </Group>
          );
        })}
        {!locked && value.length < most && (
          <Select
            label={say("addProduct")}
            placeholder={say("search")}
            data={(asked ? (found.data ?? []) : []).filter((p) => !value.includes(p.id)).map((p) => ({ value: String(p.id), label: p.name }))}
            filter={({ options }) => options} // the server has searched
            value={null}
            searchValue={text}
            onSearchChange={setText}
            onChange={(v) => {
              if (!v) return;
              onChange([...value, Number(v)]);
              setText("");
            }}
            searchable
            renderOption={({ option }) => (
              <Text size="sm" dir="auto">
                {option.label}
              </Text>
            )}
            nothingFoundMessage={asked && found.isSuccess ? say("nothingFound") : undefined}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}
