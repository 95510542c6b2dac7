import { Badge, Button, Card, Group, Select, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { save } from "../../api/download";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { losses, questions } from "../../words/losses";
import { words } from "../../words/movein";
import { csvOf } from "./kinds";
import { counted, type Plan } from "./movein";

// systems are the names of systems as their makers write them.
const systems: Record<string, string> = {
  bigcommerce: "BigCommerce", etsy: "Etsy", ghost: "Ghost", google: "Google Merchant", magento: "Magento", opencart: "OpenCart", prestashop: "PrestaShop", redirection: "Redirection",
  shopify: "Shopify", square: "Square", squarespace: "Squarespace", wix: "Wix", woocommerce: "WooCommerce", wordpress: "WordPress", yml: "Yandex YML", yoast: "Yoast",
};

// PlanView says what files would bring: counts, what is lost, and questions.
export function PlanView({ plan, onReply, children }: { plan: Plan; onReply: (key: string, choice: string) => void; children: ReactNode }) {
  const { say } = useWords(words);
  return (
    <Card component="section" withBorder aria-label={say("plan", { system: systems[plan.system] ?? plan.system })}>
      <Stack>
        <Title order={2} size="h4">
          {say("plan", { system: systems[plan.system] ?? plan.system })}
        </Title>
        <Group gap="xs" role="status">
          {counted
            .filter((name) => plan.counts[name] > 0)
            .map((name) => (
              <Badge key={name} size="lg" tt="none" variant="light">
                {say(name, { n: plan.counts[name] })}
              </Badge>
            ))}
        </Group>
        {plan.questions.length > 0 && (
          <Stack gap="xs">
            <Title order={3} size="h5">
              {say("questions")}
            </Title>
            {plan.questions.map((q) => (
              <Question key={q.key} of={q} onReply={(choice) => onReply(q.key, choice)} />
            ))}
          </Stack>
        )}
        <Losses plan={plan} />
        <Group>{children}</Group>
      </Stack>
    </Card>
  );
}

// A question and its choices in the person's language; one that the cabinet does not know, as it is asked.
function Question({ of, onReply }: { of: Plan["questions"][number]; onReply: (choice: string) => void }) {
  const { say } = useWords(questions);
  const [text, setText] = useState(of.chosen);
  const known = (key: string): key is keyof typeof questions => Object.hasOwn(questions, key);
  const label = known(of.key) ? say(of.key) : of.text;
  const choices = [...new Set(of.choices)].map((value) => {
    const key = "choose_" + value;
    return { value, label: known(key) ? say(key) : value };
  });
  if (choices.length > 0) return <Select label={label} data={choices} value={of.chosen} allowDeselect={false} onChange={(choice) => choice !== null && onReply(choice)} maw={420} />;
  return <TextInput label={label} value={text} onChange={(e) => setText(e.currentTarget.value)} onBlur={() => text !== of.chosen && onReply(text)} maw={420} dir="auto" />;
}

// Losses lists what does not come along.
export function Losses({ plan }: { plan: Plan }) {
  const { say } = useWords(words);
  const { say: sayLoss } = useWords(losses);
  if (plan.losses.length === 0) return <Text size="sm">{say("noLosses")}</Text>;
  const rows = () => save(csvOf([["file", "line", "status", "code", "detail"], ...plan.rows.map((r) => [r.file, String(r.line), r.status, r.code, r.detail])]), "losses.csv");
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {say("losses")}
      </Title>
      <WideTable label={say("losses")} minWidth={360}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say("what")}</Table.Th>
              <Table.Th ta="right">{say("howMany")}</Table.Th>
              <Table.Th>{say("example")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {plan.losses.map((l) => (
              <Table.Tr key={l.what}>
                <Table.Td>{Object.hasOwn(losses, l.what) ? sayLoss(l.what as keyof typeof losses) : l.what}</Table.Td>
                <Table.Td ta="right">{l.count}</Table.Td>
                <Table.Td dir="auto" style={{ overflowWrap: "anywhere" }}>
                  {l.example}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Button variant="default" onClick={rows} style={{ alignSelf: "flex-start" }}>
        {say("downloadLosses")}
      </Button>
    </Stack>
  );
}
