import { Card, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery } from "../../frame/session";
import { EditForm } from "../../parts/EditForm";
import { moved } from "../../parts/order";
import { useEdit } from "../../parts/useEdit";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { CirclePath } from "./CirclePath";
import { home, ruleSet, type Rule } from "./data";
import { circleOf, placed, type Circle } from "./fields";
import { OrderRows } from "./OrderRows";
import { RedirectsHeading } from "./RedirectsHeading";
import { reasonIn } from "./reason";

type RuleSet = { result: Rule[] };

// Order arranges the rules whose order matters: masks, and those for everything below an address.
export function Order() {
  const { shop } = useParams({ from: "/$shop/redirects/order" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const set = useQuery({ ...ruleSet(shop), refetchOnWindowFocus: false });
  return (
    <Stack>
      <RedirectsHeading text={say("orderText")} />
      {set.isError && !set.data ? (
        <Failure error={set.error} retry={() => void set.refetch()} />
      ) : set.data && passport ? (
        <Arrange key={shop} shop={shop} set={set.data} locked={!passport.capabilities.redirects_write || !manages(passport)} />
      ) : (
        <Skeleton h={320} />
      )}
    </Stack>
  );
}

const ordered = (set: RuleSet) => set.result.filter((r) => r.kind !== "exact");
const idsOf = (set: RuleSet) => ({ ids: ordered(set).map((r) => r.id) });

function Arrange({ shop, set, locked }: { shop: string; set: RuleSet; locked: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const base = useMemo(() => idsOf(set), [set]);
  const edit = useEdit<{ ids: string[] }>(`${shop}/redirect-order`, base);
  const [circle, setCircle] = useState<Circle>();

  // What was arranged stays when others add or delete rules meanwhile.
  const byID = new Map(set.result.map((r) => [r.id, r]));
  const known = edit.values.ids.filter((id) => byID.has(id));
  const rules = [...known, ...base.ids.filter((id) => !known.includes(id))].map((id) => byID.get(id)!);
  const ids = [...set.result.filter((r) => r.kind === "exact"), ...rules].map((r) => r.id);
  useShownCall(edit.dirty ? { method: "PUT", path: home + "/order", body: { ids } } : { method: "GET", path: home });

  const groups = ([true, false] as const).flatMap((before) =>
    (["pattern", "prefix"] as const).map((kind) => ({
      key: `${kind}-${before}`,
      title: say("orderGroup", { kind: say(`kind_${kind}`), when: say(before ? "group_before" : "group_after") }),
      rules: rules.filter((r) => r.kind === kind && r.override_live === before),
    })),
  );
  const arrangeable = groups.filter((g) => g.rules.length > 1);

  // move puts a rule of a group at the place of another one; the others keep their places.
  function move(group: Rule[], from: number, to: number) {
    const next = moved(group, from, to);
    let at = 0;
    edit.set(
      "ids",
      rules.map((r) => (group.includes(r) ? next[at++]!.id : r.id)),
    );
  }
  return (
    <EditForm
      edit={edit}
      base={set}
      locked={locked}
      fieldsOf={idsOf}
      fieldAt={(place) => (place === "ids" ? "ids" : undefined)}
      labels={{ ids: say("order") }}
      reason={reasonIn(say)}
      show={(_, value) =>
        (value as string[])
          .slice(0, 5)
          .map((id) => byID.get(id)?.from_path ?? id)
          .join(", ")
      }
      send={async () => {
        setCircle(undefined);
        try {
          return await answer(api.PUT("/storefront-redirects/order", { body: { ids } }));
        } catch (error) {
          setCircle(circleOf(error));
          throw placed(error);
        }
      }}
      onTheirs={() => void queries.invalidateQueries({ queryKey: [shop, "redirects"] })}
      onSaved={() => void queries.invalidateQueries({ queryKey: [shop, "redirects"] })}
    >
      {(faults) => (
        <>
          {circle && <CirclePath circle={circle} />}
          {faults.ids && !circle && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {faults.ids}
            </Text>
          )}
          {arrangeable.length === 0 && (
            <Text py="xl" ta="center" c="dimmed">
              {say("noOrder")}
            </Text>
          )}
          {arrangeable.map((g) => (
            <Card key={g.key} withBorder component="section" maw={960}>
              <Title order={2} size="h4" mb="xs">
                {g.title}
              </Title>
              <OrderRows rules={g.rules} locked={locked} onMove={(from, to) => move(g.rules, from, to)} />
            </Card>
          ))}
        </>
      )}
    </EditForm>
  );
}
