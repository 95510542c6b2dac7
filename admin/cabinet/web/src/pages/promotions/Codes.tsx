import { ActionIcon, Button, Card, Code as Mono, CopyButton, Group, Pill, Stack, Text, Title } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import type { Passport } from "../../frame/session";
import { save } from "../../api/download";
import { CustomerSelect, customerName, type Customer } from "../../parts/CustomerSelect";
import { dateText } from "../../parts/dates";
import { List, type Column } from "../../parts/List";
import { failed, told } from "../../parts/notice";
import { useWords } from "../../words";
import { words } from "../../words/promotions";
import { codesPage, codesQuery, readCodes, type Code, type Promotion } from "./data";

// Codes are those of a campaign: who got them, whether they were used, and giving more by hand.
export default function Codes({ shop, promotion, store, locked }: { shop: string; promotion: Promotion; store: Passport["store"]; locked: boolean }) {
  const { say, language } = useWords(words);
  const [page, setPage] = useState<number>();
  const list = useQuery(codesQuery(shop, promotion.id, page ?? 1));
  const total = list.data?.total ?? 0;
  const ends = (c: Code) => (c.expires_at ? dateText(c.expires_at, store.timezone, language) : say("withoutEnd"));
  const usedIn = (c: Code) => say(c.used_order_id ? "usedIn" : "notUsed");
  const buyer = (c: Code) => say("buyer", { id: c.user_id });
  const code = (c: Code) => (
    <Group gap={4} wrap="nowrap">
      <Mono>{c.code}</Mono>
      <CopyButton value={c.code}>
        {({ copied, copy }) => (
          <ActionIcon variant="subtle" color="gray" aria-label={`${say(copied ? "copied" : "copy")}: ${c.code}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
  const columns: Column<Code & { id: string }>[] = [
    { key: "code", label: say("codeField"), cell: code },
    { key: "to", label: say("givenTo"), cell: buyer },
    { key: "until", label: say("validUntil"), cell: ends },
    { key: "used", label: say("used"), cell: usedIn },
  ];

  const download = useMutation({
    mutationFn: async () => {
      const all: Code[] = [];
      for (let n = 1; all.length < total; n++) {
        const { items } = await readCodes(promotion.id, n, 100);
        if (items.length === 0) break;
        all.push(...items);
      }
      const lines = [["code", "user_id", "expires_at", "used_order_id"], ...all.map((c) => [c.code, c.user_id, c.expires_at ?? "", c.used_order_id ?? ""])];
      save(new Blob([lines.map((l) => l.join(",") + "\r\n").join("")], { type: "text/csv" }), `codes-${promotion.id}.csv`);
    },
    onError: (error) => failed(say, error),
  });

  return (
    <Card withBorder component="section" aria-labelledby="codes">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4" id="codes">
            {say("codes")}
          </Title>
          {total > 0 && (
            <Button size="xs" variant="default" leftSection={<IconDownload size={16} />} loading={download.isPending} onClick={() => download.mutate()}>
              {say("download")}
            </Button>
          )}
        </Group>
        {!locked && <Issue shop={shop} promotion={promotion} />}
        <List
          query={list}
          items={(list.data?.items ?? []).map((c) => ({ ...c, id: c.code }))}
          total={total}
          size={codesPage}
          page={page}
          onPage={setPage}
          columns={columns}
          card={(c) => (
            <Stack gap={2} py={4}>
              {code(c)}
              <Text size="sm" c="dimmed">
                {[buyer(c), `${say("validUntil")}: ${ends(c)}`, usedIn(c)].join(" · ")}
              </Text>
            </Stack>
          )}
          nameOf={(c) => c.code}
          empty={say("noCodes")}
          count={say("codesCount", { n: total })}
        />
      </Stack>
    </Card>
  );
}

function Issue({ shop, promotion }: { shop: string; promotion: Promotion }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Customer[]>([]);
  const issue = useMutation({
    mutationFn: () => answer(api.POST("/promotions/{id}/issue", { params: { path: { id: promotion.id } }, body: { user_ids: chosen.map((c) => c.user_id) } })),
    onSuccess: ({ result }) => {
      setChosen([]);
      void queries.invalidateQueries({ queryKey: [shop, "promotion", promotion.id, "codes"] });
      told(say, say("given", { n: result.codes.length }));
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {say("issueText")}
      </Text>
      <CustomerSelect
        shop={shop}
        label={say("issueCodes")}
        placeholder={say("findCustomer")}
        onChoose={(c) => {
          if (!c.user_id) return failed(say, new Error(say("noAccount", { name: customerName(c) })));
          setChosen((list) => (list.some((other) => other.id === c.id) ? list : [...list, c]));
        }}
      />
      {chosen.length > 0 && (
        <>
          <Pill.Group>
            {chosen.map((c) => (
              <Pill key={c.id} size="md" withRemoveButton maw="100%" onRemove={() => setChosen(chosen.filter((other) => other.id !== c.id))} removeButtonProps={{ "aria-label": `${say("remove")}: ${customerName(c)}`, "aria-hidden": undefined, tabIndex: 0 }}>
                <span dir="auto">{customerName(c)}</span>
              </Pill>
            ))}
          </Pill.Group>
          <Group>
            <Button size="sm" loading={issue.isPending} onClick={() => issue.mutate()}>
              {say("give", { n: chosen.length })}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
