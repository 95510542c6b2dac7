import { Group, SegmentedControl, Select, Skeleton, Stack } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, memo, Suspense } from "react";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { ButtonLink } from "../../parts/links";
import { SearchBox } from "../../parts/SearchBox";
import { Views } from "../../parts/Views";
import { useWords } from "../../words";
import { words } from "../../words/products";
import { Columns } from "./Arrange";
import { useArrangement } from "./arrangement";
import { ProductList } from "./ProductList";
import { SectionSelect } from "./SectionSelect";
import type { ProductSearch } from "./search";

const Grid = lazy(() => import("./grid/Grid"));

export function Products() {
  const { shop } = useParams({ from: "/$shop/products" });
  const search = useSearch({ from: "/$shop/products" });
  const navigate = useNavigate({ from: "/$shop/products" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const [{ views }, arrange] = useArrangement(shop);

  const change = useCallbackRef((part: Partial<ProductSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part }));
  const writes = passport?.capabilities.catalog_write ?? false;

  return (
    <Stack>
      <Heading title={say("products")}>
        <Group gap="xs">
          <SegmentedControl
            transitionDuration={0}
            aria-label={say("view_")}
            data={[
              { value: "list", label: say("viewList") },
              { value: "grid", label: say("viewGrid") },
            ]}
            value={search.view ?? "list"}
            onChange={(v) => change({ view: v === "grid" ? "grid" : undefined })}
          />
          <Views shop={shop} to="/$shop/products" search={search} views={views} onChange={(views) => arrange({ views })} />
          <Columns shop={shop} search={search} />
          {writes && (
            <ButtonLink to="/$shop/products/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
              {say("newProduct")}
            </ButtonLink>
          )}
        </Group>
      </Heading>
      <Group gap="xs">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <Filters shop={shop} section={search.section} stock={search.stock} state={search.state} sort={search.sort} onChange={change} />
      </Group>
      <Suspense fallback={<Skeleton h={480} />}>
        {passport && (search.view === "grid" ? <Grid shop={shop} search={search} passport={passport} /> : <ProductList shop={shop} search={search} passport={passport} />)}
      </Suspense>
    </Stack>
  );
}

type Filter = "section" | "stock" | "state" | "sort";

// Filters are not drawn at each search.
const Filters = memo(function Filters({ shop, section, stock, state, sort, onChange }: { shop: string; onChange: (part: Partial<ProductSearch>) => void } & { [K in Filter]: ProductSearch[K] }) {
  const { say } = useWords(words);
  return (
    <>
      <SectionSelect
        shop={shop}
        aria-label={say("section")}
        placeholder={say("section")}
        value={section ? String(section) : null}
        onChange={(v) => onChange({ section: v ? Number(v) : undefined })}
        w={220}
      />
      <Select
        aria-label={say("stock")}
        placeholder={say("stock")}
        data={[
          { value: "in", label: say("inStock") },
          { value: "low", label: say("lowInStock") },
          { value: "out", label: say("outOfStock") },
        ]}
        value={stock ?? null}
        onChange={(v) => onChange({ stock: (v as ProductSearch["stock"]) ?? undefined })}
        clearable
        clearButtonProps={{ "aria-label": say("clear") }}
        w={150}
      />
      <Select
        aria-label={say("state")}
        placeholder={say("state")}
        data={[
          { value: "published", label: say("published") },
          { value: "hidden", label: say("hidden") },
          { value: "deleted", label: say("deleted") },
        ]}
        value={state ?? null}
        onChange={(v) => onChange({ state: (v as ProductSearch["state"]) ?? undefined })}
        clearable
        clearButtonProps={{ "aria-label": say("clear") }}
        w={170}
      />
      <Select
        aria-label={say("sort")}
        data={[
          { value: "newest", label: say("newest") },
          { value: "name", label: say("byName") },
          { value: "price", label: say("byPrice") },
        ]}
        value={sort ?? "newest"}
        allowDeselect={false}
        onChange={(v) => onChange({ sort: v === "newest" ? undefined : ((v as ProductSearch["sort"]) ?? undefined) })}
        w={170}
      />
    </>
  );
});
