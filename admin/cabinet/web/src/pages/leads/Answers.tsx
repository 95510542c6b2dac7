import { Anchor, Button, Card as Panel, Group as Row, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { download } from "../../api/download";
import { dateText } from "../../parts/dates";
import { AnchorLink } from "../../parts/links";
import { failed } from "../../parts/notice";
import { sizeText } from "../../parts/size";
import { useWords } from "../../words";
import { words } from "../../words/leads";
import { answersOf, type Answer, type Form, type Lead } from "./data";

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed" dir="auto">
        {label}
      </Text>
      <Text size="sm" component="div" dir="auto" style={{ whiteSpace: "pre-wrap" }}>
        {children}
      </Text>
    </div>
  );
}

// Answers is what a visitor filled in.
export function Answers({ shop, lead, form, finds }: { shop: string; lead: Lead; form: Form | undefined; finds: boolean }) {
  const { say } = useWords(words);
  const elsewhere = [...lead.files, ...consentsOf(lead)].map((x) => x.field);
  const answers = answersOf(lead, form).filter((a) => !elsewhere.includes(a.name));
  return (
    <Panel withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {say("answers")}
      </Title>
      <Stack gap="sm">
        {answers.length === 0 && <Text size="sm">{say("emptyLead")}</Text>}
        {answers.map((a) => (
          <Line key={a.name} label={a.label}>
            <Value answer={a} />
            {finds && a.type === "email" && (
              <>
                {" · "}
                <AnchorLink to="/$shop/customers" params={{ shop }} search={{ q: a.value }} size="sm">
                  {say("customer")}
                </AnchorLink>
              </>
            )}
          </Line>
        ))}
      </Stack>
    </Panel>
  );
}

function Value({ answer: { type, value } }: { answer: Answer }) {
  if (type === "email") return <Anchor href={"mailto:" + encodeURIComponent(value)} size="sm">{value}</Anchor>;
  if (type === "phone") return <Anchor href={"tel:" + value.replace(/[^+\d]/g, "")} size="sm">{value}</Anchor>;
  return value;
}

// Files are those that a visitor attached.
export function Files({ lead }: { lead: Lead }) {
  const { say, language } = useWords(words);
  const get = useMutation({ mutationFn: (f: Lead["files"][number]) => download(`/form-leads/${lead.id}/files/${f.id}`, f.name), onError: (error) => failed(say, error) });
  return (
    <Panel withBorder component="section">
      <Title order={2} size="h4">
        {say("files")}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {say("filesHint")}
      </Text>
      <Stack gap="xs">
        {lead.files.map((f) => (
          <Row key={f.id} justify="space-between" gap="xs">
            <Stack gap={0} flex="1 1 160px" miw={0}>
              <Text size="sm" dir="auto" lineClamp={3}>
                {f.name}
              </Text>
              <Text size="sm" c="dimmed">
                {sizeText(f.size, language)}
              </Text>
            </Stack>
            <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} loading={get.isPending && get.variables.id === f.id} onClick={() => get.mutate(f)} aria-label={`${say("download")}: ${f.name}`}>
              {say("download")}
            </Button>
          </Row>
        ))}
      </Stack>
    </Panel>
  );
}

// Origin is where a lead came from, and what the visitor agreed to.
export function Origin({ lead, zone }: { lead: Lead; zone: string }) {
  const { say, language } = useWords(words);
  const utm = Object.entries(lead.utm);
  const consents = consentsOf(lead);
  if (!lead.page_url && utm.length + consents.length === 0) return null;
  return (
    <Panel withBorder component="section">
      <Stack gap="sm">
        {lead.page_url && <Line label={say("page")}>{isWeb(lead.page_url) ? <Anchor href={lead.page_url} target="_blank" rel="noreferrer" size="sm">{lead.page_url}</Anchor> : lead.page_url}</Line>}
        {utm.length > 0 && <Line label={say("origin")}>{utm.map(([name, value]) => `${name}: ${value}`).join("\n")}</Line>}
        {consents.length > 0 && (
          <Line label={say("consents")}>
            {consents.map((c) => (
              <div key={c.field}>
                {[c.text, c.url].filter(Boolean).join(" ")} — {say("agreedAt", { date: dateText(c.at, zone, language) })}
              </div>
            ))}
          </Line>
        )}
      </Stack>
    </Panel>
  );
}

const consentsOf = (lead: Lead) => lead.consents as { field: string; text: string; url?: string; at: string }[];

// isWeb keeps addresses that a visitor made up, such as javascript:, from being links.
const isWeb = (address: string) => /^https?:\/\//i.test(address) && URL.canParse(address);
