import { List, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { Ask } from "../../parts/Ask";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/customers";

const erase = async (id: string, dry_run: boolean) => (await answer(api.POST("/customers/{id}/erase", { params: { path: { id } }, body: { dry_run } }))).result;

// Erase says what the shop holds of a customer, and erases it.
export function Erase({ shop, id, name, onErased, onClose }: { shop: string; id: string; name: string; onErased: () => void; onClose: () => void }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  useShownCall({ method: "POST", path: `/customers/${id}/erase`, body: { dry_run: false } });
  const would = useQuery({ queryKey: [shop, "customer", id, "held"], queryFn: () => erase(id, true), staleTime: 0, gcTime: 0 });
  const run = useMutation({
    mutationFn: () => erase(id, false),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [shop, "customers"] });
      told(say, say("erased", { name }));
      onErased();
    },
    onError: (error) => failed(say, error),
  });
  const held = (Object.entries(would.data?.would_erase ?? {}) as [keyof Schemas["PrivacyHeld"], number][]).filter(([, n]) => n > 0);
  return (
    <Ask title={say("eraseTitle", { name })} text={say(would.isSuccess && held.length === 0 ? "eraseOnly" : "eraseText")} yes={say("erase")} doing={run.isPending} onYes={would.isSuccess ? () => run.mutate() : undefined} onClose={onClose}>
      {would.isPending && <Skeleton h={80} mt="sm" />}
      {would.isError && <Failure error={would.error} retry={() => void would.refetch()} />}
      <List size="sm" my="sm">
        {held.map(([what, n]) => (
          <List.Item key={what}>{say(`held_${what}`, { n })}</List.Item>
        ))}
      </List>
      <Text size="sm">{say("eraseStays")}</Text>
    </Ask>
  );
}
