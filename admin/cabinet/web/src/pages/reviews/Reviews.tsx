import { Button, Group as Row, Kbd, SegmentedControl, Select, Stack, Switch, Text } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf, oneOf } from "../../parts/address";
import { useArrangement } from "../../parts/arrangement";
import { Heading } from "../../parts/Heading";
import { List, useSelection } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { productsByIDQuery } from "../../parts/products";
import { useWords } from "../../words";
import { words } from "../../words/reviews";
import { decide, remarksQuery, type Kind, type Remark } from "./data";
import { DecisionBar } from "./DecisionBar";
import { RemarkCard } from "./RemarkCard";
import { pageSize, queryOf, statuses, type ReviewSearch, type Status } from "./search";
import { useKeys } from "./keys";

// Keys act unless the person switched them off.
const readKeys = (stored: Record<string, unknown>) => ({ keys: stored.keys !== false });

const keys = { j: "next", k: "previous", a: "approve", r: "reject" } as const;

// Reviews is the queue of reviews, or of questions: those that wait come first.
export function Reviews() {
  const { shop } = useParams({ from: "/$shop/reviews" });
  const search = useSearch({ from: "/$shop/reviews" });
  const navigate = useNavigate({ from: "/$shop/reviews" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const kind: Kind = search.kind ?? "reviews";
  const query = remarksQuery(shop, kind, search);
  const list = useQuery(query);
  const items = list.data?.items ?? [];
  const ids = [...new Set([...items.map((r) => r.product_id), ...(search.product ? [search.product] : [])])].sort((a, b) => a - b);
  const products = useQuery({ ...productsByIDQuery(shop, ids), enabled: ids.length > 0 });
  const selection = useSelection<string>(search);
  const [{ keys: byKey }, arrange] = useArrangement(shop, "reviews", readKeys);
  const [chosen, setChosen] = useState("");
  const current = items.find((r) => r.id === chosen) ?? items[0];
  const writes = passport?.capabilities.catalog_write ?? false;
  useShownCall({ method: "GET", path: addressOf("/" + kind, queryOf(search)) });

  const shown = search.status === "any" ? undefined : (search.status ?? "pending");
  const refresh = () => queries.invalidateQueries({ queryKey: [shop, "remarks"] });
  const moderate = useMutation({
    mutationKey: [shop, "moderate"],
    mutationFn: ({ remark, status }: { remark: Remark; status: Status }) => decide(kind, remark, { status }),
    // What was decided leaves the queue at once, so that the next one can be decided.
    onMutate: async ({ remark, status }) => {
      await queries.cancelQueries({ queryKey: query.queryKey });
      queries.setQueryData(query.queryKey, (page) => {
        if (!page) return page;
        const others = page.items.filter((r) => r.id !== remark.id);
        return shown && shown !== status ? { ...page, items: others, total: page.total - 1 } : { ...page, items: page.items.map((r) => (r === remark ? { ...r, status } : r)) };
      });
    },
    onSuccess: (saved, { remark, status }) => {
      const what = remark.author || say("noAuthor");
      told(say, say(status === "approved" ? "wasApproved" : "wasRejected", { what }), () => decide(kind, saved, { status: remark.status ?? "pending" }).then(refresh));
    },
    onError: (error) => failed(say, error),
    onSettled: () => (queries.isMutating({ mutationKey: [shop, "moderate"] }) === 1 ? refresh() : undefined),
  });

  // go moves to another one; its place in the page gets the focus, and readers read it.
  function go(r: Remark | undefined) {
    if (!r) return;
    setChosen(r.id);
    const card = document.getElementById("remark-" + r.id);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }
  const beside = (step: number) => (current ? items[items.indexOf(current) + step] : undefined);
  function judge(remark: Remark | undefined, status: Status) {
    if (!remark || !writes || remark.status === status) return;
    if (remark === current) go(beside(1) ?? beside(-1));
    moderate.mutate({ remark, status });
  }
  useKeys(byKey, { j: () => go(beside(1)), k: () => go(beside(-1)), a: () => judge(current, "approved"), r: () => judge(current, "rejected") });

  const change = (part: Partial<ReviewSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }) });
  const product = (id: number) => products.data?.find((p) => p.id === id);
  const chosenName = search.product && (product(search.product)?.name ?? "#" + search.product);
  const card = (r: Remark) => (
    <RemarkCard
      key={r.id}
      shop={shop}
      kind={kind}
      remark={r}
      product={product(r.product_id)}
      known={products.isSuccess}
      current={r === current}
      writes={writes}
      onFocus={() => setChosen(r.id)}
      onDecide={(status) => judge(r, status)}
      onProduct={search.product ? undefined : () => change({ product: r.product_id })}
      onChanged={refresh}
    />
  );

  return (
    <Stack maw={960}>
      <Heading title={say("title")} />
      <Row gap="xs">
        <SegmentedControl
          aria-label={say("kind")}
          data={[
            { value: "reviews", label: say("reviews") },
            { value: "questions", label: say("questions") },
          ]}
          value={kind}
          onChange={(v) => change({ kind: v === "questions" ? "questions" : undefined })}
        />
        <Select
          aria-label={say("state")}
          data={[...statuses.map((value) => ({ value: value as string, label: say(value) })), { value: "any", label: say("anyState") }]}
          value={search.status ?? "pending"}
          allowDeselect={false}
          onChange={(v) => change({ status: oneOf(["approved", "rejected", "any"], v) })}
          flex="0 1 200px"
        />
        {search.product && (
          <Button variant="light" rightSection={<IconX size={16} />} maw="100%" onClick={() => change({ product: undefined })} aria-label={`${chosenName}: ${say("allProducts")}`}>
            <Text size="sm" truncate dir="auto">
              {chosenName}
            </Text>
          </Button>
        )}
      </Row>
      {writes && items.length > 0 && (
        <Row gap="md">
          <Switch size="sm" label={say("keys")} checked={byKey} onChange={(e) => arrange({ keys: e.currentTarget.checked })} />
          {byKey && Object.entries(keys).map(([key, word]) => (
            <Row key={key} gap={6}>
              <Kbd>{key}</Kbd>
              <Text size="sm">{say(word)}</Text>
            </Row>
          ))}
        </Row>
      )}
      <List
        query={list}
        items={items}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={[{ key: "remark", label: say(kind === "questions" ? "questions" : "reviews"), cell: card }]}
        card={card}
        nameOf={(r) => `${r.author || say("noAuthor")}: ${r.text.slice(0, 60)}`}
        selection={writes ? selection : undefined}
        empty={say(search.status ? "nothing" : "nothingPending")}
        count={say(kind === "questions" ? "questionsCount" : "reviewsCount", { n: list.data?.total ?? 0 })}
      />
      {writes && <DecisionBar kind={kind} chosen={items.filter((r) => selection.ids.includes(r.id))} onDone={() => selection.set([])} onChanged={refresh} />}
    </Stack>
  );
}
