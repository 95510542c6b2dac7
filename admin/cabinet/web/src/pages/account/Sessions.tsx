import { Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { answer, api } from "../../api/client";
import { Failure } from "../../frame/Failure";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/account";
import { deviceOf } from "./device";

// Sessions are where the person is signed in. Each can be ended.
export function Sessions() {
  const { say, language } = useWords(words);
  const list = useQuery({ queryKey: ["me", "sessions"], queryFn: async () => (await answer(api.GET("/v1/auth/sessions", {}))).result });
  const end = useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) await answer(api.DELETE("/v1/auth/sessions/{id}", { params: { path: { id } } }));
    },
    onSuccess: () => told(say, say("ended")),
    onError: (error) => failed(say, error),
    onSettled: () => list.refetch(),
  });
  const others = list.data?.filter((s) => !s.current) ?? [];
  const time = (text: string) => new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  return (
    <Panel title={say("sessions")}>
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton h={40} />}
      {list.data?.map((s) => (
        <Group key={s.id} justify="space-between" wrap="nowrap">
          <Stack gap={0} miw={0}>
            <Group gap="xs">
              <Text dir="auto">{deviceOf(s.agent) || say("unknownDevice")}</Text>
              {s.current && (
                <Badge tt="none" variant="light">
                  {say("thisBrowser")}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed">
              {[s.network, time(s.last_used_at ?? s.created_at), s.slug && say("ofShop", { slug: s.slug })].filter(Boolean).join(" · ")}
            </Text>
          </Stack>
          {!s.current && (
            <Button variant="default" size="xs" disabled={end.isPending} aria-label={`${say("signOut")}: ${deviceOf(s.agent)}, ${s.network}`} onClick={() => end.mutate([s.id])}>
              {say("signOut")}
            </Button>
          )}
        </Group>
      ))}
      {others.length > 0 && (
        <Group>
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate(others.map((s) => s.id))}>
            {say("endOthers")}
          </Button>
        </Group>
      )}
    </Panel>
  );
}
