import { Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { Heading } from "./Heading";

const limits = ["products_max", "storage_bytes", "redirects_max", "redirect_masks_max", "site_files_max"] as const;

// Usage shows how much of each limit of the plan is used.
export function Usage() {
  const { shop } = useParams({ from: "/$shop/settings/usage" });
  const { say } = useWords(words);
  const usage = useQuery({ queryKey: [shop, "usage"], queryFn: async () => (await answer(api.GET("/tariff/usage", {}))).result });
  useShownCall({ method: "GET", path: "/tariff/usage" });
  return (
    <Stack maw={640}>
      <Heading title={say("page_usage")} />
      {usage.isError && !usage.data ? (
        <Failure error={usage.error} retry={() => void usage.refetch()} />
      ) : !usage.data ? (
        <Skeleton h={240} />
      ) : (
        limits.map((code) => usage.data[code] && <Line key={code} code={code} line={usage.data[code]} />)
      )}
    </Stack>
  );
}

function Line({ code, line }: { code: (typeof limits)[number]; line: Schemas["AccessUsageLine"] }) {
  const { say, language } = useWords(words);
  const amount = (n: number) => {
    if (code !== "storage_bytes") return n.toLocaleString(language);
    const unit = n >= 1e9 ? "gigabyte" : "megabyte";
    return (n / (n >= 1e9 ? 1e9 : 1e6)).toLocaleString(language, { style: "unit", unit, maximumFractionDigits: 1 });
  };
  const [used, limit, pending] = [Number(line.used), Number(line.limit), Number(line.pending ?? 0)];
  const part = limit > 0 ? (100 * (used + pending)) / limit : 0;
  const values = { used: amount(used + pending), limit: amount(limit) };
  return (
    <div>
      <Text fw={600}>{say(`limit_${code}`)}</Text>
      {limit > 0 && <Progress value={Math.min(100, part)} color={part >= 90 ? "red" : part >= 75 ? "orange" : "teal"} my={4} size="lg" aria-label={say(`limit_${code}`)} />}
      <Text size="sm" c="dimmed">
        {limit > 0 ? say("usedOf", values) : say("unlimited", values)}
        {pending > 0 && `, ${say("pendingUploads", { size: amount(pending) })}`}
      </Text>
    </div>
  );
}
