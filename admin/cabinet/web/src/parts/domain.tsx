// A domain of the shop's own: what it is waiting for, and the form that connects one.
import { Alert, Badge, Group, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { queryOptions } from "@tanstack/react-query";
import { answer, api, currentShop, type Schemas } from "../api/client";
import { Copied } from "./Copied";
import { useWords } from "../words";
import { words } from "../words/domain";
import { Form } from "./Form";
import { useTyped } from "./typed";

// domainQuery asks again while the DNS is waited for: each call looks there.
export const domainQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "domain"],
    queryFn: async () => (await answer(api.GET("/v1/shop/domain", {}))).result,
    refetchInterval: (query) => (query.state.data?.state.startsWith("waiting") ? 10_000 : false),
  });

export function ConnectDomain({ onDone }: { onDone: (view: Schemas["DomainView"]) => void }) {
  const { say } = useWords(words);
  const { values, text, forget } = useTyped(`${currentShop()}/domain`, { domain: "" });
  return (
    <Form
      submit={say("connectDomain")}
      fields={values}
      onSubmit={async () => {
        const { result } = await answer(api.PUT("/v1/shop/domain", { body: { domain: values.domain.trim() } }));
        forget();
        onDone(result);
      }}
    >
      {({ at }) => <TextInput label={say("domain")} placeholder="shop.example.com" required maxLength={255} dir="ltr" {...text("domain")} error={at("domain")} />}
    </Form>
  );
}

// DomainRecords are the records of the DNS of which one has to be there.
export function DomainRecords({ view }: { view: Schemas["DomainView"] }) {
  const { say, language } = useWords(words);
  return (
    <Stack>
      {view.state === "waiting_dns" && <Text size="sm">{say("domainText")}</Text>}
      {view.state === "waiting_certificate" && <Text size="sm">{say("certificateText")}</Text>}
      {view.certificate_until && <Text size="sm">{say("certificateUntil", { date: new Date(view.certificate_until).toLocaleDateString(language, { dateStyle: "medium" }) })}</Text>}
      {view.error && (
        <Alert variant="light" color="orange">
          {view.error}
        </Alert>
      )}
      {view.records.map((r) => (
        <Paper key={r.type} withBorder p="sm" data-record={r.type}>
          <Group gap="xs" mb={4}>
            <Text fw={600}>{r.type}</Text>
            {r.seen && (
              <Badge tt="none" variant="light">
                {say("recordSeen")}
              </Badge>
            )}
          </Group>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing={4}>
            {(["name", "value"] as const).map((part) => (
              <div key={part}>
                <Text size="xs" c="dimmed">
                  {say(part === "name" ? "recordName" : "recordValue")}
                </Text>
                <Copied text={r[part]} />
              </div>
            ))}
          </SimpleGrid>
        </Paper>
      ))}
    </Stack>
  );
}
