import { Alert, Button, Grid, Group, Menu, Skeleton, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconChevronDown, IconPrinter } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { dateText } from "../../parts/dates";
import { Heading } from "../../parts/Heading";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/orders";
import { Badges } from "./Badges";
import { orderQuery, print, useMove, useOrderCache, type PaperKind } from "./data";
import { Buyer } from "./panels/Buyer";
import { Chat } from "./panels/Chat";
import { History } from "./panels/History";
import { Lines } from "./panels/Lines";
import { Notes } from "./panels/Notes";
import { Payments } from "./panels/Payments";
import { Shipments } from "./panels/Shipments";
import { statuses, type Order as OrderView, type Status } from "./search";

export interface PanelProps {
  shop: string;
  order: OrderView;
  passport: Passport;
  locked: boolean;
}

// Order is the page of one order.
export function Order() {
  const { shop, id } = useParams({ from: "/$shop/orders/$id" });
  const numeric = /^\d+$/.test(id);
  const { data: passport } = useQuery(passportQuery(shop));
  const order = useQuery({ ...orderQuery(shop, id), enabled: numeric });
  const narrow = useMediaQuery("(max-width: 75em)"); // one column: who gets the goods stands below them
  useShownCall({ method: "GET", path: `/orders/${id}` });
  if (!numeric) return <Failure page error={null} />;
  if (order.isError && !order.data) return <Failure page error={order.error} retry={() => void order.refetch()} />;
  if (!passport || !order.data) return <Skeleton h={480} />;
  const panel = { shop, order: order.data, passport, locked: !passport.capabilities.orders_write };
  return (
    <Stack key={shop + id}>
      <Head {...panel} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack>
            <Lines {...panel} />
            {narrow && <Buyer {...panel} />}
            <Payments {...panel} />
            <Shipments {...panel} />
            <Chat {...panel} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            {!narrow && <Buyer {...panel} />}
            <Notes {...panel} />
            <History {...panel} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

// next is where an order usually goes from a state.
const next: Record<Status, Status | undefined> = { new: "processing", processing: "completed", completed: undefined, cancelled: undefined };

function Head({ shop, order, passport, locked }: PanelProps) {
  const { say, language } = useWords(words);
  const move = useMove(shop, order);
  const to = next[order.status];
  // The buttons stay enabled during a move: a disabled one loses the focus.
  const moveTo = (to: Status) => !move.isPending && move.mutate({ from: order.status, to });
  const wordOf = (to: Status) => say(order.status === "cancelled" && to === "new" ? "reopen" : `to_${to}`);
  const others = statuses.filter((s) => s !== order.status && s !== to);
  return (
    <>
      <Heading
        back={{ to: "/$shop/orders", label: say("orders") }}
        title={say("orderNumber", { number: order.number })}
        state={
          <>
            <Group gap={4}>
              <Badges order={order} />
            </Group>
            <Text size="sm" c="dimmed">
              {[dateText(order.created_at, passport.store.timezone, language), order.source === "manual" && say("byPhone"), order.assistant && say("ofAssistant", { name: order.assistant.platform })].filter(Boolean).join(" · ")}
            </Text>
          </>
        }
      >
        <Papers shop={shop} order={order} locked={locked} />
        {!locked && (
          <>
            <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={16} />}>
                  {say("state")}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {others.map((s) => (
                  <Menu.Item key={s} c={s === "cancelled" ? "var(--mantine-color-error)" : undefined} onClick={() => moveTo(s)}>
                    {wordOf(s)}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
            {to && (
              <Button onClick={() => moveTo(to)}>{wordOf(to)}</Button>
            )}
          </>
        )}
      </Heading>
      {order.status === "cancelled" && order.payments.some((p) => p.paid_at && !p.refunded_at && p.amount_minor > 0) && (
        <Alert color="orange" variant="light">
          {say("stillPaid")}
        </Alert>
      )}
    </>
  );
}

// Papers prints those of the order that there are, and issues its invoice.
function Papers({ shop, order, locked }: { shop: string; order: OrderView; locked: boolean }) {
  const { say } = useWords(words);
  const cache = useOrderCache(shop);
  const [asking, setAsking] = useState(false);
  const show = (kind: PaperKind) => void print(kind, [order.id]).catch((error: unknown) => failed(say, error));
  const issue = useMutation({
    mutationFn: () => answer(api.POST("/orders/{id}/invoice", { params: { path: { id: order.id } } })),
    onSuccess: async ({ result }) => {
      setAsking(false);
      told(say, say("invoiceIssued", { number: result.number }));
      await cache.refresh(order.id);
    },
    onError: (error) => failed(say, error),
  });
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconPrinter size={16} />}>
            {say("papers")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => show("slip")}>{say("slips")}</Menu.Item>
          {order.invoice && <Menu.Item onClick={() => show("invoice")}>{say("invoiceNumber", { number: order.invoice.number })}</Menu.Item>}
          {order.credit_note && <Menu.Item onClick={() => show("credit_note")}>{say("creditNote", { number: order.credit_note.number })}</Menu.Item>}
          {!order.invoice && !locked && <Menu.Item onClick={() => setAsking(true)}>{say("issueInvoice")} …</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {asking && <Ask title={say("issueInvoice")} text={say("issueInvoiceText")} yes={say("issueInvoice")} doing={issue.isPending} onYes={() => issue.mutate()} onClose={() => setAsking(false)} />}
    </>
  );
}
