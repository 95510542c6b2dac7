import { Alert, FileInput, Progress, Stack, Table, Text, TextInput } from "@mantine/core";
import { IconFileZip } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { sendShop } from "../../api/upload";
import { shopsQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { Form } from "../../parts/Form";
import { goes, JobProgress, useJob } from "../../parts/job";
import { ButtonLink } from "../../parts/links";
import { slugOf } from "../../parts/slug";
import { WideTable } from "../../parts/WideTable";
import { useWords } from "../../words";
import { words } from "../../words/transfer";

interface Imported {
  slug: string;
  rows: number;
  files: number;
  left: { table: string; count: number; reason: string }[];
}

// FromFile opens a shop from the file of an export.
export default function FromFile() {
  const { say } = useWords(words);
  const { job: id } = useSearch({ from: "/" });
  const { data: job } = useJob(id);
  const queries = useQueryClient();
  const done = job?.state === "done";
  useEffect(() => {
    if (done) void queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
  }, [done, queries]);
  return (
    <Stack>
      <JobProgress id={id} label={say("openFromFile")} runs={(done, total) => say("rowsWritten", { done, total })} ended={say("importFailed")} />
      {job?.state === "done" ? <Result made={job.result as Imported} /> : !goes(job) && <Begin />}
    </Stack>
  );
}

function Begin() {
  const { say } = useWords(words);
  const navigate = useNavigate();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | null>(null); // null: from the name
  const [sent, setSent] = useState<number>();
  const upload = useRef<AbortController>(undefined);
  useEffect(() => () => upload.current?.abort(), []);
  const address = slug ?? slugOf(name);
  async function begin() {
    if (!file) return;
    upload.current = new AbortController();
    try {
      const id = await sendShop(addressOf("/v1/shop/import", { slug: address, name }), file, setSent, upload.current.signal);
      await navigate({ to: "/", search: { job: Number(id) }, hash: "open", replace: true });
    } finally {
      setSent(undefined);
    }
  }
  return (
    <Form submit={say("openShop")} fields={{ name, slug: address }} onSubmit={begin}>
      {({ at }) => (
        <>
          <Text size="sm">{say("fromFileText")}</Text>
          <FileInput label={say("shopFile")} placeholder={say("chooseFile")} accept=".zip,application/zip" leftSection={<IconFileZip size={16} />} clearable clearButtonProps={{ "aria-label": say("clear") }} required value={file} onChange={setFile} />
          <TextInput label={say("shopName")} name="shop-name" required maxLength={255} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" />
          <TextInput label={say("shopSlug")} description={say("shopSlugHint")} name="shop-slug" required maxLength={63} value={address} onChange={(e) => setSlug(e.currentTarget.value)} error={at("slug")} dir="ltr" />
          {sent !== undefined && <Progress value={100 * sent} aria-label={say("uploads")} />}
        </>
      )}
    </Form>
  );
}

// Result is what an import wrote, and what it left out.
function Result({ made }: { made: Imported }) {
  const { say } = useWords(words);
  return (
    <>
      <Alert variant="light" role="status">
        {say("shopMade", { rows: made.rows, files: made.files })}
      </Alert>
      {made.left.length > 0 && (
        <>
          <Text size="sm">{say("leftOut")}</Text>
          <WideTable label={say("leftOut")} minWidth={360}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{say("what")}</Table.Th>
                  <Table.Th ta="right">{say("howMany")}</Table.Th>
                  <Table.Th>{say("why")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {made.left.map((l) => (
                  <Table.Tr key={l.table + l.reason}>
                    <Table.Td>{l.table}</Table.Td>
                    <Table.Td ta="right">{l.count}</Table.Td>
                    <Table.Td>{l.reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        </>
      )}
      <ButtonLink to="/$shop/start" params={{ shop: made.slug }} style={{ alignSelf: "flex-start" }}>
        {say("toNewShop")}
      </ButtonLink>
    </>
  );
}
