import { Button, Card, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { manages, passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { useWords } from "../../words";
import { words } from "../../words/redirects";
import { home } from "./data";
import { Journal } from "./Journal";
import { RedirectsHeading } from "./RedirectsHeading";
import { TracePath } from "./TracePath";

// Check follows an address of the shop and says who answers at each step.
export function Check() {
  const { shop } = useParams({ from: "/$shop/redirects/check" });
  const { url } = useSearch({ from: "/$shop/redirects/check" });
  const navigate = useNavigate({ from: "/$shop/redirects/check" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const [typed, setTyped] = useState(url ?? "");
  useEffect(() => setTyped(url ?? ""), [url]); // Back and links change the address
  useShownCall({ method: "GET", path: addressOf(home + "/check", { url: url ?? "/" }) });
  const trace = useQuery({
    queryKey: [shop, "redirects", "check", url],
    queryFn: async ({ signal }) => (await answer(api.GET("/storefront-redirects/check", { params: { query: { url: url! } }, signal }))).result,
    enabled: url !== undefined,
    placeholderData: url === undefined ? undefined : keepPreviousData,
    staleTime: 0,
  });
  return (
    <Stack>
      <RedirectsHeading text={say("checkText")} />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (typed.trim() === url) void trace.refetch();
          else void navigate({ search: { url: typed.trim() || undefined } });
        }}
      >
        <Group align="flex-end" gap="xs" maw={720}>
          <TextInput
            label={say("checkAddress")}
            description={say("checkHint")}
            inputWrapperOrder={["label", "input", "description"]}
            name="url"
            type="text"
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            maxLength={8192}
            autoFocus={!url}
            required
            value={typed}
            onChange={(e) => setTyped(e.currentTarget.value)}
            flex="1 1 260px"
          />
          <Button type="submit" loading={trace.isFetching} mb={22}>
            {say("checkNow")}
          </Button>
        </Group>
      </form>
      {trace.isError && <Failure error={trace.error} />}
      {url !== undefined && trace.data && (
        <Card withBorder component="section" maw={720} aria-live="polite">
          <Title order={2} size="h4" mb="sm">
            {say("path")}
          </Title>
          <TracePath shop={shop} url={url} trace={trace.data} writes={(passport?.capabilities.redirects_write ?? false) && manages(passport)} />
          <Text size="sm" c="dimmed" mt="sm" dir="ltr" lang="en">
            {trace.data.reason}
          </Text>
        </Card>
      )}
      <Journal shop={shop} />
    </Stack>
  );
}
