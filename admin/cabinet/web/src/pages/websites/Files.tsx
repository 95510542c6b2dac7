import { Anchor, Badge, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Failure } from "../../frame/Failure";
import { List } from "../../parts/List";
import { SearchBox } from "../../parts/SearchBox";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { fileQuery } from "./data";
import { isText, type Kind, type Release } from "./kinds";

const pageSize = 100;

// Files lists what a release consists of.
export function Files({ shop, kind, id, release }: { shop: string; kind: Kind; id: string; release: Release }) {
  const { say, language } = useWords(words);
  const { q, page } = useSearch({ from: "/$shop/websites/$kind/$id/$release" });
  const navigate = useNavigate({ from: "/$shop/websites/$kind/$id/$release" });
  const [opened, open] = useState<string>();
  const found = release.files.filter((f) => !q || f.path.toLowerCase().includes(q.toLowerCase())).map((f) => ({ ...f, id: f.path }));
  const first = ((page ?? 1) - 1) * pageSize;
  type File = (typeof found)[number];
  const name = (f: File) =>
    isText(f.mime) && !f.pending ? (
      <Anchor component="button" type="button" size="sm" dir="ltr" ta="start" mih={24} style={{ overflowWrap: "anywhere" }} onClick={() => open(f.path)}>
        {f.path}
      </Anchor>
    ) : (
      <Text size="sm" dir="ltr" style={{ overflowWrap: "anywhere" }}>
        {f.path}
      </Text>
    );
  const pending = (f: File) =>
    f.pending && (
      <Badge tt="none" variant="light" color="orange">
        {say("pending")}
      </Badge>
    );
  return (
    <Stack>
      <Group>
        <SearchBox value={q ?? ""} onSearch={(q) => void navigate({ search: (old) => ({ ...old, q: q || undefined, page: undefined }), replace: true })} />
      </Group>
      <List
        query={{ data: found, isPending: false, isError: false, error: null, refetch: () => undefined }}
        items={found.slice(first, first + pageSize)}
        total={found.length}
        size={pageSize}
        page={page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        nameOf={(f) => f.path}
        empty={say("noneMatches")}
        count={say("filesCount", { n: found.length, size: sizeText(found.reduce((n, f) => n + f.size, 0), language) })}
        columns={[
          {
            key: "path",
            label: say("path"),
            cell: (f) => (
              <>
                {name(f)} {pending(f)}
              </>
            ),
          },
          { key: "mime", label: say("type"), cell: (f) => f.mime },
          { key: "size", label: say("size"), end: true, cell: (f) => sizeText(f.size, language) },
        ]}
        card={(f) => (
          <div>
            {name(f)} {pending(f)}
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {f.mime} · {sizeText(f.size, language)}
            </Text>
          </div>
        )}
      />
      {opened !== undefined && <Source shop={shop} kind={kind} id={id} release={release.id} path={opened} onClose={() => open(undefined)} />}
    </Stack>
  );
}

const mostShown = 5000; // lines

// Source shows a file of a release as it is.
function Source({ shop, kind, id, release, path, onClose }: { shop: string; kind: Kind; id: string; release: string; path: string; onClose: () => void }) {
  const { say } = useWords(words);
  const source = useQuery(fileQuery(shop, kind, id, release, path));
  const lines = source.data?.split("\n");
  return (
    <Modal opened onClose={onClose} size="xl" title={<bdi style={{ overflowWrap: "anywhere" }}>{path}</bdi>} closeButtonProps={{ "aria-label": say("close") }}>
      {source.isError && <Failure error={source.error} retry={() => void source.refetch()} />}
      {source.isPending && <Skeleton h={200} />}
      {lines && (
        <pre className="source" tabIndex={0} role="region" aria-label={path} dir="ltr">
          {lines.slice(0, mostShown).map((text, i) => (
            <span key={i}>
              <span data-n={i + 1} />
              {text.slice(0, 2000)}
              {"\n"}
            </span>
          ))}
        </pre>
      )}
      {lines && lines.length > mostShown && <Text size="sm">{say("firstLines", { n: mostShown })}</Text>}
    </Modal>
  );
}
