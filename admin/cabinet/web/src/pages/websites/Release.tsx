import "@mantine/core/styles/Tabs.css";
import { Alert, Button, Group, Modal, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Refusal } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { Heading, ShopLink } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/websites";
import { changesQuery, releaseQuery, reportQuery, websiteKey, websiteQuery, type Website } from "./data";
import { Files } from "./Files";
import { calls, kindOf, type Kind, type Release, type Report } from "./kinds";
import { ReleaseState, useRollBack } from "./rolling";
import { ReportView } from "./Report";
import { Uses, useName } from "./Uses";

const Changes = lazy(() => import("./Changes").then((m) => ({ default: m.Changes })));
const Preview = lazy(() => import("./Preview").then((m) => ({ default: m.Preview })));

const tabs = ["report", "files", "changes", "preview"] as const;
type Tab = (typeof tabs)[number];

// ReleasePage is one release: what its check found, its files, what it changes, how it looks, and the
// button that makes it live.
export function ReleasePage() {
  const params = useParams({ from: "/$shop/websites/$kind/$id/$release" });
  const { shop, id } = params;
  const kind = kindOf(params.kind);
  const { tab = "report" } = useSearch({ from: "/$shop/websites/$kind/$id/$release" });
  const navigate = useNavigate({ from: "/$shop/websites/$kind/$id/$release" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const website = useQuery(websiteQuery(shop, kind, id));
  const release = useQuery(releaseQuery(shop, kind, id, params.release));
  const name = useName(shop, kind, id, website.data);
  const may = manages(passport);
  const complete = release.data?.pending === 0;
  const report = useQuery({ ...reportQuery(shop, kind, id, params.release), enabled: complete && may });
  const root = `${calls[kind].root.replace("{id}", id)}/releases/${params.release}`;
  useShownCall(release.data && !release.data.active && may ? { method: "POST", path: `${root}/publish` } : { method: "GET", path: root });
  const error = website.error ?? release.error;
  if (error && !release.data) return <Failure page error={error} retry={() => void release.refetch()} />;
  if (!release.data || !website.data || !passport) return <Skeleton h={400} role="status" aria-label={say("loading")} />;
  const { data } = release;
  const at = (tab: Tab) => void navigate({ search: { tab: tab === "report" ? undefined : tab }, replace: true });
  // Editors may not have a release checked: they read what its publish found.
  const found = report.data ?? (may ? undefined : stored(data));

  return (
    <Stack key={params.release}>
      <AnchorLink to="/$shop/websites/$kind/$id" params={{ shop, kind, id }} size="sm" c="dimmed" dir="auto" style={{ overflowWrap: "anywhere" }}>
        ← {name}
      </AnchorLink>
      <Heading
        title={say("release", { id: data.id })}
        state={
          <Group gap="xs">
            <ReleaseState release={data} />
            <Text size="sm" c="dimmed">
              {dateText(data.created_at, passport.store.timezone, language)}
            </Text>
            {data.note && (
              <Text size="sm" dir="auto">
                {data.note}
              </Text>
            )}
          </Group>
        }
      >
        {may && !data.active && <Acts shop={shop} kind={kind} id={id} website={website.data} release={data} report={found} />}
      </Heading>
      {!complete && <Alert color="orange" variant="light" title={say("incomplete", { n: data.pending })} />}
      <Tabs value={tab} onChange={(t) => at(t as Tab)} keepMounted={false}>
        <Tabs.List>
          {tabs.map((t) => (
            <Tabs.Tab key={t} value={t}>
              {say(`tab_${t}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="report" pt="md">
          {report.isError ? (
            <Failure error={report.error} retry={() => void report.refetch()} />
          ) : found ? (
            <ReportView shop={shop} kind={kind} id={id} release={data} report={found} onAgain={may ? () => void report.refetch() : undefined} checking={report.isFetching} />
          ) : (
            complete && <Skeleton h={200} role="status" aria-label={say("checking")} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="files" pt="md">
          <Files shop={shop} kind={kind} id={id} release={data} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" pt="md">
          <Suspense fallback={<Skeleton h={200} />}>
            <Changes shop={shop} kind={kind} id={id} release={data} active={website.data.active} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="preview" pt="md">
          <Suspense fallback={<Skeleton h={200} />}>
            <Preview shop={shop} kind={kind} id={id} release={data} website={website.data} mayTry={may && complete} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

// stored is the report of the publish.
const stored = (r: Release): Report => ({ errors: r.report.errors ?? [], warnings: r.report.warnings ?? [], info: r.report.info ?? [] });

// Acts publishes a release, or rolls back to it.
function Acts({ shop, kind, id, website, release, report }: { shop: string; kind: Kind; id: string; website: Website; release: Release; report: Report | undefined }) {
  const { say } = useWords(words);
  const [asking, setAsking] = useState(false);
  const rollBack = useRollBack(shop, kind, id, website.active);
  if (release.was_live)
    return (
      <Button loading={rollBack.isPending} onClick={() => rollBack.mutate(release.id)}>
        {say("rollBack")}
      </Button>
    );
  return (
    <>
      <Button disabled={!report || report.errors.length > 0} onClick={() => setAsking(true)}>
        {say("publish")}
      </Button>
      {asking && <PublishDialog shop={shop} kind={kind} id={id} website={website} release={release} report={report!} onClose={() => setAsking(false)} />}
    </>
  );
}

// PublishDialog says what publishing changes before it is done.
function PublishDialog({ shop, kind, id, website, release, report, onClose }: { shop: string; kind: Kind; id: string; website: Website; release: Release; report: Report; onClose: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const live = website.active !== "0";
  const changes = useQuery({ ...changesQuery(shop, kind, id, website.active, release.id), enabled: live });
  const [done, setDone] = useState<string>();
  const publish = useMutation({
    mutationFn: () => calls[kind].publish(id, release.id, false),
    onSuccess: ({ url }) => {
      void queries.invalidateQueries({ queryKey: websiteKey(shop, kind, id) });
      void queries.invalidateQueries({ queryKey: [shop, "websites", "documents"] });
      told(say, say("publishedNow", { id: release.id }));
      setDone(url);
    },
    onError: (error) => {
      failed(say, error);
      if (error instanceof Refusal && error.code === "RELEASE_INVALID") void queries.invalidateQueries({ queryKey: reportQuery(shop, kind, id, release.id).queryKey });
    },
  });
  return (
    <Modal opened onClose={onClose} title={say("publishTitle", { id: release.id })} closeButtonProps={{ "aria-label": say("close") }}>
      {done !== undefined ? (
        <Stack>
          <Text>{say("publishedNow", { id: release.id })}</Text>
          <ShopLink href={done} />
        </Stack>
      ) : (
        <Stack>
          <Text size="sm">{say(live ? "publishReplaces" : "publishFirst", { id: website.active })}</Text>
          {changes.data && <Text size="sm">{say("changesCount", { added: changes.data.added_total, removed: changes.data.removed_total, changed: changes.data.changed_total })}</Text>}
          {report.warnings.length > 0 && (
            <Alert color="orange" variant="light">
              {say("publishWarns", { n: report.warnings.length })}
            </Alert>
          )}
          {website.document && website.document.used_total > 0 && (
            <>
              <Text size="sm">{say("publishShows")}</Text>
              <Uses shop={shop} document={website.document} />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say("cancel")}
            </Button>
            <Button data-autofocus loading={publish.isPending} onClick={() => publish.mutate()}>
              {say("publish")}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
