import { Anchor, Group, Paper, ScrollArea, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { answer, api, currentShop } from "../../../api/client";
import { Failure } from "../../../frame/Failure";
import { dateText } from "../../../parts/dates";
import { Form } from "../../../parts/Form";
import { useOnce } from "../../../parts/once";
import { Picture } from "../../../parts/Picture";
import { useTyped } from "../../../parts/typed";
import { useWords } from "../../../words";
import { words } from "../../../words/orders";
import { messagesQuery, orderQuery, useOrderCache } from "../data";
import type { PanelProps } from "../Order";
import { Panel } from "./Panel";

const most = 4000; // letters of a message

// Chat is what the buyer and the shop write to each other about the order. It asks for new messages
// while it is looked at.
export function Chat({ shop, order, passport }: PanelProps) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const cache = useOrderCache(shop);
  const messages = useQuery(messagesQuery(shop, order.id));
  const { ref, inViewport } = useInViewport();
  const list = useRef<HTMLDivElement>(null);
  const last = messages.data?.at(-1);
  useEffect(() => {
    list.current?.scrollTo(0, list.current.scrollHeight);
  }, [last?.id]);

  // Messages of the buyer count as read when their end is on the screen.
  const newest = messages.data && (messages.data.findLast((m) => m.author === "buyer")?.id ?? "");
  const read = useRef<string>(undefined);
  const { id, unread } = order;
  useEffect(() => {
    if (newest === undefined) return;
    read.current ??= unread > 0 ? "" : newest;
    if (!inViewport || newest === read.current) return;
    read.current = newest;
    answer(api.POST("/orders/{id}/messages/seen", { params: { path: { id } } })).then(
      () => {
        queries.setQueryData(orderQuery(shop, id).queryKey, (o) => o && { ...o, unread: 0 });
        void queries.invalidateQueries({ queryKey: [shop, "orders"] });
      },
      () => (read.current = ""), // tried again with the next message
    );
  }, [inViewport, newest, unread, id, queries, shop]);

  const { values, text, forget } = useTyped(`${shop}/order/${order.id}/message`, { text: "" });
  const once = useOnce();
  async function send() {
    await once({ text: values.text }, (body, header) => answer(api.POST("/orders/{id}/messages", { params: { path: { id }, header }, body })));
    forget();
    await messages.refetch();
    await cache.refresh(id);
  }

  return (
    <Panel title={say("chat")}>
      {messages.isError && !messages.data && <Failure error={messages.error} retry={() => void messages.refetch()} />}
      {messages.isPending && <Skeleton h={80} />}
      {messages.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {say("noMessages")}
        </Text>
      )}
      {messages.data && messages.data.length > 0 && (
        <ScrollArea.Autosize mah={480} viewportRef={list} type="auto" viewportProps={{ tabIndex: 0, role: "log", "aria-label": say("chat") }}>
          <Stack gap="xs">
            {messages.data.map((m) => (
              <Paper
                key={m.id}
                withBorder
                p="xs"
                maw="85%"
                style={{ alignSelf: m.author === "seller" ? "flex-end" : "flex-start" }}
                bg={m.author === "seller" ? "var(--mantine-primary-color-light)" : undefined}
              >
                <Text size="xs">
                  <b dir="auto">{m.author === "seller" ? say("shopSays") : order.contact.name}</b> · {dateText(m.created_at, passport.store.timezone, language)}
                </Text>
                <Text size="sm" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
                  {m.text}
                </Text>
                {m.files.length > 0 && (
                  <Group gap="xs" mt={4}>
                    {m.files.map((file, n) => (
                      <Anchor key={file} href={`/v1/storages/files/${file}/image?shop=${currentShop()}`} target="_blank" rel="noreferrer">
                        <Picture id={file} size={72} alt={say("attachment", { n: n + 1 })} />
                      </Anchor>
                    ))}
                  </Group>
                )}
              </Paper>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      )}
      <div ref={ref} />
      <Form submit={say("send")} fields={values} onSubmit={send}>
        {({ at }) => (
          <Textarea
            mt="sm"
            label={say("message")}
            description={values.text.length > most / 2 ? say("ofLetters", { n: values.text.length, most }) : undefined}
            required
            autosize
            minRows={2}
            maxRows={12}
            maxLength={most}
            {...text("text")}
            error={at("text")}
            dir="auto"
          />
        )}
      </Form>
    </Panel>
  );
}
