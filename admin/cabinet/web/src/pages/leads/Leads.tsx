import { Group as Row, Select, Stack, Text } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { dateText } from "../../parts/dates";
import { ExportButton } from "../../parts/ExportButton";
import { Heading } from "../../parts/Heading";
import { AnchorLink, CardLink } from "../../parts/links";
import { List, useSelection, type Column } from "../../parts/List";
import { useWords } from "../../words";
import { words } from "../../words/leads";
import { formsQuery, leadsQuery, titleOf, type Lead } from "./data";
import { LeadBar } from "./LeadBar";
import { pageSize, queryOf, shownOf, statuses, type LeadSearch } from "./search";
import { StatusBadge } from "./StatusBadge";

// Leads is the inbox of what visitors sent with the forms of the shop.
export function Leads() {
  const { shop } = useParams({ from: "/$shop/leads" });
  const search = useSearch({ from: "/$shop/leads" });
  const navigate = useNavigate({ from: "/$shop/leads" });
  const { say, language } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(leadsQuery(shop, search));
  const known = useQuery({ ...formsQuery(shop), enabled: passport?.capabilities.forms_read ?? false });
  const forms = known.data ?? [];
  const selection = useSelection<string>(search);
  const query = queryOf(search);
  useShownCall({ method: "GET", path: addressOf("/form-leads", query) });

  const change = (part: Partial<LeadSearch>) => void navigate({ search: (old) => ({ ...old, page: undefined, ...part }) });
  const writes = passport?.capabilities.leads_write ?? false;
  const items = list.data?.items ?? [];
  const nameOf = (l: Lead) => titleOf(l, forms.find((f) => f.id === l.form_id)) || say("emptyLead");
  const date = (l: Lead) => dateText(l.created_at, passport?.store.timezone ?? "UTC", language);
  const weight = (l: Lead) => (l.status === "new" ? 700 : 400);
  const files = (l: Lead) =>
    l.files.length > 0 && (
      <Row gap={4} component="span">
        <IconPaperclip size={14} /> {say("filesCount", { n: l.files.length })}
      </Row>
    );
  const columns: Column<Lead>[] = [
    {
      key: "lead",
      label: say("lead"),
      cell: (l) => (
        <>
          <AnchorLink to="/$shop/leads/$id" params={{ shop, id: l.id }} size="sm" fw={weight(l)} c="var(--mantine-color-text)" dir="auto" lineClamp={2}>
            {nameOf(l)}
          </AnchorLink>
          <Text size="sm" c="dimmed" component="div">
            {files(l)}
          </Text>
        </>
      ),
    },
    {
      key: "form",
      label: say("form"),
      cell: (l) => (
        <Text size="sm" dir="auto" lineClamp={2}>
          {l.form_name}
        </Text>
      ),
    },
    {
      key: "date",
      label: say("date"),
      cell: (l) => (
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          {date(l)}
        </Text>
      ),
    },
    { key: "state", label: say("state"), cell: (l) => <StatusBadge lead={l} /> },
  ];

  return (
    <Stack>
      <Heading title={say("leads")}>
        <ExportButton label={say("exportCSV")} exports={addressOf("/form-leads/export", { "filter.form_id": query["filter.form_id"], "filter.status": query["filter.status"] })} file="leads.csv" />
      </Heading>
      <Row gap="xs">
        <Select
          aria-label={say("state")}
          data={([...statuses, "not_spam", "any"] as const).map((value) => ({ value, label: say(`shown_${value}`) }))}
          value={search.status ?? "new"}
          allowDeselect={false}
          onChange={(v) => change({ status: shownOf(v) })}
          flex="0 1 240px"
        />
        {forms.length > 1 && (
          <Select
            aria-label={say("form")}
            placeholder={say("allForms")}
            data={forms.map((f) => ({ value: f.id, label: f.name }))}
            value={search.form ? String(search.form) : null}
            onChange={(v) => change({ form: v ? Number(v) : undefined })}
            searchable
            clearable
            clearButtonProps={{ "aria-label": say("clear") }}
            nothingFoundMessage={say("nothingFound")}
            flex="0 1 240px"
          />
        )}
      </Row>
      <List
        query={{ ...list, isPending: list.isPending || known.isLoading }}
        items={items}
        total={list.data?.total ?? 0}
        size={pageSize}
        page={search.page}
        onPage={(page) => void navigate({ search: (old) => ({ ...old, page }) })}
        columns={columns}
        nameOf={nameOf}
        selection={writes ? selection : undefined}
        empty={say(search.status || search.form ? "noLeads" : "noNew")}
        count={say("leadsCount", { n: list.data?.total ?? 0 })}
        card={(l) => (
          <CardLink withBorder padding="xs" to="/$shop/leads/$id" params={{ shop, id: l.id }}>
            <Text size="sm" fw={weight(l)} dir="auto" lineClamp={3}>
              {nameOf(l)}
            </Text>
            <Text size="sm" c="dimmed" dir="auto" lineClamp={2}>
              {[l.form_name, date(l)].join(" · ")}
            </Text>
            <Row gap="xs">
              <StatusBadge lead={l} />
              <Text size="sm" c="dimmed" component="span">
                {files(l)}
              </Text>
            </Row>
          </CardLink>
        )}
      />
      {writes && <LeadBar shop={shop} leads={items.filter((l) => selection.ids.includes(l.id))} nameOf={nameOf} onDone={() => selection.set([])} />}
    </Stack>
  );
}
