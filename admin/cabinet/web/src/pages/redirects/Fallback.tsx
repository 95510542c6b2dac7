import { Card, Switch } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { reasonIn } from "./reason";
import { circleOf } from "./fields";

const settingsQuery = (shop: string) => queryOptions({ queryKey: [shop, "redirects", "settings"], queryFn: async ({ signal }) => (await answer(api.GET("/storefront-redirects/settings", { signal }))).result });

// Fallback switches at once whether an unknown address leads to the nearest section.
export function Fallback({ shop, locked }: { shop: string; locked: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery(shop));
  async function put(miss_fallback: boolean) {
    const { updated_at } = await queries.fetchQuery({ ...settingsQuery(shop), staleTime: 0 });
    await answer(api.PUT("/storefront-redirects/settings", { body: { miss_fallback, expected_updated_at: updated_at } }));
    await queries.invalidateQueries({ queryKey: [shop] });
  }
  const turn = useMutation({
    mutationFn: put,
    onSuccess: (_, on) => told(say, say(on ? "fallbackOn" : "fallbackOff"), () => put(!on)),
    onError: (error) => failed(say, circleOf(error) ? new Error(reasonIn(say)({ code: circleOf(error)!.code, detail: "" })) : error),
  });
  if (!settings.data) return null;
  return (
    <Card withBorder component="section" maw={720}>
      <Switch
        label={say("fallback")}
        description={say("fallbackHint")}
        checked={turn.isPending ? turn.variables : settings.data.miss_fallback}
        disabled={locked || turn.isPending}
        onChange={(e) => turn.mutate(e.currentTarget.checked)}
      />
    </Card>
  );
}
