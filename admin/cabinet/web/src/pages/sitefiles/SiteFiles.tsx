import { Badge, Card, Group, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { manages, passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { AnchorLink, ButtonLink } from "../../parts/links";
import { List, Unbroken } from "../../parts/List";
import { SearchBox } from "../../parts/SearchBox";
import { sizeText } from "../../parts/size";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/sitefiles";
import { BuildBadge, FileState } from "./badges";
import { filesQuery, problems, type SiteFile } from "./data";

const pageSize = 50;

// SiteFiles lists the feeds and other files of the shop's host.
export function SiteFiles() {
  const { shop } = useParams({ from: "/$shop/site-files" });
  const { q, page } = useSearch({ from: "/$shop/site-files" });
  const navigate = useNavigate({ from: "/$shop/site-files" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery({ ...filesQuery(shop, q), placeholderData: keepPreviousData });
  useShownCall({ method: "GET", path: addressOf("/site-files", { q }) });
  const files = list.data ?? [];
  const first = ((page ?? 1) - 1) * pageSize;
  const zone = passport?.store.timezone ?? "UTC";
  const writes = (passport?.capabilities.site_files_write ?? false) && manages(passport);

  const kind = (f: SiteFile) => {
    const word = `kind_${f.name.split(".").at(-1)}`;
    return word in words ? say(word as WordOf<typeof words>) : f.content_type;
  };
  const name = (f: SiteFile) => (
    <AnchorLink to="/$shop/site-files/$id" params={{ shop, id: f.id }} size="sm" fw={500} c="var(--mantine-color-text)" dir="ltr">
      {f.path || f.name}
    </AnchorLink>
  );
  const build = (f: SiteFile) =>
    f.last_build ? (
      <Stack gap={2} align="flex-start">
        <BuildBadge state={f.last_build.state} />
        <Text size="xs" c="dimmed">
          {[dateText(f.last_build.at, zone, language), say("products", { n: f.last_build.items })].join(" · ")}
        </Text>
      </Stack>
    ) : (
      "—"
    );
  const faults = (f: SiteFile) => {
    const n = problems(f.last_build);
    return n > 0 ? (
      <Badge color="orange" variant="light" tt="none" miw="max-content">
        {say("problemsCount", { n })}
      </Badge>
    ) : f.last_build ? (
      <Text size="sm" c="dimmed">
        {say("noProblems")}
      </Text>
    ) : (
      "—"
    );
  };
  const size = (f: SiteFile) => <Unbroken>{sizeText(Number(f.size), language)}</Unbroken>;
  return (
    <Stack>
      <Heading title={say("siteFiles")}>
        {writes && (
          <ButtonLink to="/$shop/site-files/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newFile")}
          </ButtonLink>
        )}
      </Heading>
      <Text size="sm" c="dimmed" maw={720}>
        {say("listText")}
      </Text>
      <Group>
        <SearchBox key={shop} value={q ?? ""} onSearch={(q) => void navigate({ search: { q: q || undefined }, replace: true })} />
      </Group>
      <List
        query={list}
        items={files.slice(first, first + pageSize)}
        total={files.length}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={(f) => f.path || f.name}
        empty={say(q ? "noMatch" : "noFiles")}
        count={say("filesCount", { n: files.length })}
        columns={[
          { key: "path", label: say("path"), cell: name },
          { key: "kind", label: say("kind"), cell: (f) => <Text size="sm" miw={90}>{kind(f)}</Text> },
          { key: "state", label: say("state"), cell: (f) => <FileState file={f} /> },
          { key: "size", label: say("size"), end: true, cell: size },
          { key: "build", label: say("build"), cell: build },
          { key: "problems", label: say("problems"), cell: faults },
        ]}
        card={(f) => (
          <Card withBorder padding="xs">
            <Stack gap={4} align="flex-start">
              {name(f)}
              <Group gap="xs">
                <FileState file={f} />
                <Text size="xs" c="dimmed">
                  {kind(f)} · {size(f)}
                </Text>
              </Group>
              {f.last_build && build(f)}
              {problems(f.last_build) > 0 && faults(f)}
            </Stack>
          </Card>
        )}
      />
    </Stack>
  );
}
