import { Checkbox, Group, Select, Skeleton, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconFolders, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { Pager } from "../../parts/Pager";
import { Picture } from "../../parts/Picture";
import { SearchBox } from "../../parts/SearchBox";
import { useWords } from "../../words";
import { words } from "../../words/articles";
import { BulkBar } from "./BulkBar";
import { articlesQuery } from "./data";
import { RubricSelect } from "./RubricSelect";
import { pageSize, queryOf, type Article, type ArticleSearch } from "./search";
import { StateBadge } from "./StateBadge";

export function Articles() {
  const { shop } = useParams({ from: "/$shop/articles" });
  const search = useSearch({ from: "/$shop/articles" });
  const navigate = useNavigate({ from: "/$shop/articles" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const zone = passport?.store.timezone ?? "UTC";
  const list = useQuery({ ...articlesQuery(shop, search, zone), enabled: passport !== undefined });
  const narrow = useMediaQuery("(max-width: 48em)");
  const [selected, setSelected] = useState<number[]>([]);
  const key = JSON.stringify(search);
  useEffect(() => setSelected([]), [key]);
  useShownCall({ method: "GET", path: addressOf("/articles", queryOf(search, zone)) });

  const change = (part: Partial<ArticleSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: "q" in part });
  const writes = passport?.capabilities.catalog_write ?? false;
  const items = list.data?.result ?? [];
  const total = list.data?.total ?? 0;
  const filtered = Boolean(search.q || search.rubric || search.state || search.from || search.to);
  const chosen = items.filter((a) => selected.includes(a.id));
  const View = narrow ? Cards : Rows;

  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {say("articles")}
        </Title>
        <Group gap="xs">
          <ButtonLink variant="default" to="/$shop/articles/rubrics" params={{ shop }} leftSection={<IconFolders size={16} />}>
            {say("rubrics")}
          </ButtonLink>
          {writes && (
            <ButtonLink to="/$shop/articles/$id" params={{ shop, id: "new" }} search={search.rubric ? { rubric: search.rubric } : {}} leftSection={<IconPlus size={16} />}>
              {say("newArticle")}
            </ButtonLink>
          )}
        </Group>
      </Group>
      <Group gap="xs" align="flex-end">
        <SearchBox key={shop} value={search.q ?? ""} onSearch={(q) => change({ q: q || undefined })} />
        <RubricSelect
          shop={shop}
          aria-label={say("rubric")}
          placeholder={say("rubric")}
          value={search.rubric ? String(search.rubric) : null}
          onChange={(v) => change({ rubric: v ? Number(v) : undefined })}
          flex="1 1 150px"
        />
        <Select
          aria-label={say("state")}
          placeholder={say("state")}
          data={(["published", "scheduled", "hidden", "deleted"] as const).map((value) => ({ value, label: say(value) }))}
          value={search.state ?? null}
          onChange={(v) => change({ state: (v as ArticleSearch["state"]) ?? undefined })}
          clearable
          clearButtonProps={{ "aria-label": say("clear") }}
          flex="1 1 150px"
        />
        <TextInput type="date" label={say("from")} value={search.from ?? ""} onChange={(e) => change({ from: e.currentTarget.value || undefined })} flex="1 1 140px" />
        <TextInput type="date" label={say("to")} value={search.to ?? ""} onChange={(e) => change({ to: e.currentTarget.value || undefined })} flex="1 1 140px" />
        <Select
          aria-label={say("sort")}
          data={[
            { value: "recent", label: say("newestFirst") },
            { value: "popular", label: say("popularFirst") },
          ]}
          value={search.sort ?? "recent"}
          allowDeselect={false}
          onChange={(v) => change({ sort: v === "popular" ? "popular" : undefined })}
          flex="1 1 150px"
        />
      </Group>
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Stack gap="xs" aria-label={say("loading")} role="status">
          {Array.from({ length: 8 }, (_, i) => (
            <Skeleton key={i} h={52} />
          ))}
        </Stack>
      ) : items.length === 0 ? (
        <Text py="xl" ta="center" c="dimmed">
          {say(filtered ? "noArticles" : "emptyShop")}
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" aria-live="polite">
            {say("articlesCount", { n: total })}
          </Text>
          <View shop={shop} items={items} zone={zone} selectable={writes} selected={selected} onSelect={setSelected} />
        </>
      )}
      <Pager total={total} size={pageSize} page={search.page} onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })} />
      {chosen.length > 0 && <BulkBar shop={shop} selected={chosen} deleted={search.state === "deleted"} onDone={() => setSelected([])} />}
    </Stack>
  );
}

interface ListProps {
  shop: string;
  items: Article[];
  zone: string;
  selectable: boolean;
  selected: number[];
  onSelect: (ids: number[]) => void;
}

function Choice({ article, selected, onSelect }: { article: Article } & Pick<ListProps, "selected" | "onSelect">) {
  return (
    <Checkbox size="md"
      aria-label={article.title}
      checked={selected.includes(article.id)}
      onChange={(e) => onSelect(e.currentTarget.checked ? [...selected, article.id] : selected.filter((id) => id !== article.id))}
    />
  );
}

// Name leads to the article; a deleted one has no page before it is restored.
function Name({ shop, article: a }: { shop: string; article: Article }) {
  if (a.is_deleted)
    return (
      <Text size="sm" fw={500} dir="auto">
        {a.title}
      </Text>
    );
  return (
    <AnchorLink to="/$shop/articles/$id" params={{ shop, id: String(a.id) }} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
      {a.title}
    </AnchorLink>
  );
}

function Rows({ shop, items, zone, selectable, selected, onSelect }: ListProps) {
  const { say, language } = useWords(words);
  const all = items.every((a) => selected.includes(a.id));
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table highlightOnHover verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {selectable && (
              <Table.Th w={40}>
                <Checkbox size="md" aria-label={say("all")} checked={all} indeterminate={!all && selected.length > 0} onChange={() => onSelect(all ? [] : items.map((a) => a.id))} />
              </Table.Th>
            )}
            <Table.Th>{say("title")}</Table.Th>
            <Table.Th>{say("rubric")}</Table.Th>
            <Table.Th>{say("date")}</Table.Th>
            <Table.Th ta="right">{say("views")}</Table.Th>
            <Table.Th>{say("state")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((a) => (
            <Table.Tr key={a.id} bg={selected.includes(a.id) ? "var(--mantine-primary-color-light)" : undefined}>
              {selectable && (
                <Table.Td>
                  <Choice article={a} selected={selected} onSelect={onSelect} />
                </Table.Td>
              )}
              <Table.Td>
                <Group gap="sm" wrap="nowrap">
                  <Picture id={a.cover_id} size={40} />
                  <Name shop={shop} article={a} />
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm" dir="auto">
                  {a.category_name}
                </Text>
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>{a.published_at ? dateText(a.published_at, zone, language) : "—"}</Table.Td>
              <Table.Td ta="right">{a.views}</Table.Td>
              <Table.Td>
                <StateBadge article={a} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cards({ shop, items, zone, selectable, selected, onSelect }: ListProps) {
  const { language } = useWords(words);
  return (
    <Stack gap="xs">
      {items.map((a) => {
        const body = (
          <Group wrap="nowrap" align="flex-start">
            <Picture id={a.cover_id} size={56} />
            <Stack gap={2} miw={0}>
              <Text fw={500} size="sm" dir="auto" lineClamp={3}>
                {a.title}
              </Text>
              <Text size="sm" c="dimmed" dir="auto" lineClamp={2}>
                {[a.category_name, a.published_at && dateText(a.published_at, zone, language)].filter(Boolean).join(" · ")}
              </Text>
              <div>
                <StateBadge article={a} />
              </div>
            </Stack>
          </Group>
        );
        return (
          <Group key={a.id} wrap="nowrap" gap="xs">
            {selectable && <Choice article={a} selected={selected} onSelect={onSelect} />}
            {a.is_deleted ? (
              body
            ) : (
              <CardLink withBorder padding="xs" flex={1} miw={0} to="/$shop/articles/$id" params={{ shop, id: String(a.id) }}>
                {body}
              </CardLink>
            )}
          </Group>
        );
      })}
    </Stack>
  );
}
