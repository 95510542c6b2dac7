import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { manages, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { AnchorLink, CardLink } from "../../parts/links";
import { List } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { membersQuery } from "../../parts/shop";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { websiteKey } from "./data";
import { calls, type Kind, type ReleaseRow } from "./kinds";
import { ReleaseState, useRollBack } from "./rolling";

// Releases lists the latest releases of a website.
export function Releases({ shop, kind, id, active, releases, passport }: { shop: string; kind: Kind; id: string; active: string; releases: UseQueryResult<ReleaseRow[]>; passport: Passport }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const may = manages(passport);
  const { data: members } = useQuery({ ...membersQuery(shop), enabled: may });
  const [asked, ask] = useState<ReleaseRow>();
  const rollBack = useRollBack(shop, kind, id, active);
  const remove = useMutation({
    mutationFn: (r: ReleaseRow) => calls[kind].remove(id, r.id),
    onSuccess: (_, r) => {
      void queries.invalidateQueries({ queryKey: websiteKey(shop, kind, id) });
      told(say, say("releaseRemoved", { id: r.id }));
    },
    onError: (error) => failed(say, error),
    onSettled: () => ask(undefined),
  });
  const zone = passport.store.timezone;
  const who = (r: ReleaseRow) => {
    const member = members?.result.find((m) => m.user_id === Number(r.created_by));
    return member ? member.name || member.email : say("person", { id: r.created_by });
  };
  const acts = (r: ReleaseRow) =>
    may && (
      <Group gap={4} justify="flex-end">
        {r.was_live && !r.active && (
          <Button size="compact-sm" variant="default" loading={rollBack.isPending && rollBack.variables === r.id} onClick={() => rollBack.mutate(r.id)}>
            {say("rollBack")}
          </Button>
        )}
        {!r.active && (
          <Button size="compact-sm" variant="subtle" color="red" aria-label={`${say("remove")}: ${say("release", { id: r.id })}`} onClick={() => ask(r)}>
            {say("remove")}
          </Button>
        )}
      </Group>
    );
  const link = (r: ReleaseRow) => ({ to: "/$shop/websites/$kind/$id/$release", params: { shop, kind, id, release: r.id } }) as const;
  return (
    <Panel title={say("releases")}>
      <List
        query={releases}
        items={releases.data ?? []}
        total={releases.data?.length ?? 0}
        size={50}
        page={undefined}
        onPage={() => {}}
        nameOf={(r) => say("release", { id: r.id })}
        empty={say("noReleases")}
        count={say("releasesCount", { n: releases.data?.length ?? 0 })}
        columns={[
          {
            key: "id",
            label: say("releaseWord"),
            cell: (r) => (
              <AnchorLink {...link(r)} size="sm" fw={500}>
                {say("release", { id: r.id })}
              </AnchorLink>
            ),
          },
          { key: "state", label: say("state"), cell: (r) => <ReleaseState release={r} /> },
          { key: "made", label: say("made"), cell: (r) => dateText(r.created_at, zone, language) },
          { key: "published", label: say("publishedAt"), cell: (r) => dateText(r.published_at, zone, language) },
          { key: "who", label: say("who"), cell: (r) => <span dir="auto">{who(r)}</span> },
          { key: "acts", label: say("actions"), end: true, cell: acts },
        ]}
        card={(r) => (
          <>
            <CardLink withBorder padding="xs" {...link(r)}>
              <Group justify="space-between">
                <Text size="sm" fw={500}>
                  {say("release", { id: r.id })}
                </Text>
                <ReleaseState release={r} />
              </Group>
              <Text size="sm" c="dimmed" dir="auto">
                {dateText(r.created_at, zone, language)} · {who(r)}
              </Text>
            </CardLink>
            {acts(r)}
          </>
        )}
      />
      {asked && <Ask title={say("removeRelease", { id: asked.id })} text={say("removeReleaseText")} doing={remove.isPending} onYes={() => remove.mutate(asked)} onClose={() => ask(undefined)} />}
    </Panel>
  );
}
