import { Group, Select, Stack, Text } from "@mantine/core";
import { IconFolders, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf, typing } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { DayBox } from "../../parts/DayBox";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink, CardLink } from "../../parts/links";
import { List, useSelection, type Column } from "../../parts/List";
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
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const zone = passport?.store.timezone ?? "UTC";
  const list = useQuery({ ...articlesQuery(shop, search, zone), enabled: passport !== undefined });
  const selection = useSelection(search);
  useShownCall({ method: "GET", path: addressOf("/articles", queryOf(search, zone)) });

  const change = (part: Partial<ArticleSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: typing(part) });
  const writes = passport?.capabilities.catalog_write ?? false;
  const items = list.data?.result ?? [];
  const filtered = Boolean(search.q || search.rubric || search.state || search.from || search.to);
  const columns: Column<Article>[] = [
    {
      key: "title",
      label: say("title"),
      cell: (a) => (
        <Group gap="sm" wrap="nowrap">
          <Picture id={a.cover_id} size={40} />
          <Name shop={shop} article={a} />
        </Group>
      ),
    },
    {
      key: "rubric",
      label: say("rubric"),
      cell: (a) => (
        <Text size="sm" dir="auto">
          {a.category_name}
        </Text>
      ),
    },
    { key: "date", label: say("date"), cell: (a) => (a.published_at ? dateText(a.published_at, zone, language) : "—") },
    { key: "views", label: say("views"), end: true, cell: (a) => a.views },
    { key: "state", label: say("state"), cell: (a) => <StateBadge article={a} /> },
  ];

  return (
    <Stack>
      <Heading title={say("articles")}>
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
      </Heading>
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
        <DayBox label={say("from")} value={search.from} onDay={(from) => change({ from })} flex="1 1 140px" />
        <DayBox label={say("to")} value={search.to} onDay={(to) => change({ to })} flex="1 1 140px" />
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
      <List
        query={list}
        items={items}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        card={(a) => <ArticleCard shop={shop} article={a} zone={zone} />}
        nameOf={(a) => a.title}
        selection={writes ? selection : undefined}
        empty={say(filtered ? "noArticles" : "emptyShop")}
        count={say("articlesCount", { n: list.data?.total ?? 0 })}
      />
      <BulkBar shop={shop} articles={items} selection={selection} deleted={search.state === "deleted"} />
    </Stack>
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

function ArticleCard({ shop, article: a, zone }: { shop: string; article: Article; zone: string }) {
  const { language } = useWords(words);
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
  if (a.is_deleted) return body;
  return (
    <CardLink withBorder padding="xs" to="/$shop/articles/$id" params={{ shop, id: String(a.id) }}>
      {body}
    </CardLink>
  );
}
