import { Anchor, Badge, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { answer, api, type Schemas } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery, shopsQuery, type Passport } from "../../frame/session";
import { Ask } from "../../parts/Ask";
import { ConnectDomain, DomainRecords, domainQuery } from "../../parts/domain";
import { Form } from "../../parts/Form";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useTyped } from "../../parts/typed";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { Heading } from "./Heading";

// Address is the page of the shop's domain and of the address that it has without one.
export function Address() {
  const { shop } = useParams({ from: "/$shop/settings/address" });
  const { say } = useWords(words);
  const queries = useQueryClient();
  const { data: passport } = useQuery(passportQuery(shop));
  const domain = useQuery(domainQuery(shop));
  useShownCall({ method: "GET", path: "/v1/shop/domain" });
  const address = domain.data?.storefront_url;
  useEffect(() => {
    if (address) void queries.invalidateQueries({ queryKey: passportQuery(shop).queryKey });
  }, [address, shop, queries]);
  return (
    <Stack maw={760}>
      <Heading title={say("page_address")} />
      {domain.isError && !domain.data ? (
        <Failure error={domain.error} retry={() => void domain.refetch()} />
      ) : !domain.data || !passport ? (
        <Skeleton h={320} />
      ) : (
        <>
          <Text size="sm">
            {say("currentAddress")}:{" "}
            <Anchor href={address} target="_blank" rel="noreferrer" inherit>
              {address}
            </Anchor>
          </Text>
          <OwnDomain shop={shop} view={domain.data} owner={passport.role === "owner"} />
          <Slug shop={shop} passport={passport} />
        </>
      )}
    </Stack>
  );
}

function OwnDomain({ shop, view, owner }: { shop: string; view: Schemas["DomainView"]; owner: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const put = (now: Schemas["DomainView"]) => {
    queries.setQueryData(domainQuery(shop).queryKey, now);
    void queries.invalidateQueries({ queryKey: [shop, "setup"] });
  };
  const remove = useMutation({
    mutationFn: async () => (await answer(api.DELETE("/v1/shop/domain", {}))).result,
    onSuccess: put,
    onError: (error) => failed(say, error),
    onSettled: () => setAsking(false),
  });
  const again = useMutation({
    mutationFn: async () => (await answer(api.PUT("/v1/shop/domain", { body: { domain: view.domain } }))).result,
    onSuccess: put,
    onError: (error) => failed(say, error),
  });
  return (
    <Panel title={say("ownDomain")} text={say("ownDomainText")}>
      {view.state === "" ? (
        owner ? (
          <ConnectDomain onDone={put} />
        ) : (
          <Text size="sm">{say("ownerOnly")}</Text>
        )
      ) : (
        <>
          <Group gap="xs">
            <Text fw={600}>{view.domain}</Text>
            <Badge tt="none" variant="light" color={view.state === "active" ? "teal" : view.state === "failed" ? "red" : "orange"} role="status">
              {say(`domain_${view.state}`)}
            </Badge>
          </Group>
          {view.state === "active" && <Text size="sm">{say("domainActiveText")}</Text>}
          <DomainRecords view={view} />
          {owner && (
            <Group>
              {view.state === "failed" && (
                <Button loading={again.isPending} onClick={() => again.mutate()}>
                  {say("connectAgain")}
                </Button>
              )}
              <Button variant="light" color="red" onClick={() => setAsking(true)}>
                {say("removeDomain")}
              </Button>
            </Group>
          )}
        </>
      )}
      {asking && <Ask title={say("removeDomain")} text={say("removeDomainText", { domain: view.domain })} doing={remove.isPending} onYes={() => remove.mutate()} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function Slug({ shop, passport }: { shop: string; passport: Passport }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { values, text, forget } = useTyped(`${shop}/slug`, { slug: shop });
  const slug = values.slug.trim();
  return (
    <Panel title={say("slugTitle")} text={say("slugText")}>
      {passport.role !== "owner" ? (
        <Text size="sm">{say("ownerOnly")}</Text>
      ) : (
        <Form
          submit={say("changeSlug")}
          fields={values}
          onSubmit={async () => {
            if (slug === shop) return;
            const { result } = await answer(api.PUT("/v1/shop/slug", { body: { slug } }));
            forget();
            // Nothing is asked at the old address, which is no shop's now.
            queries.setQueryData(shopsQuery.queryKey, (list) => list?.map((s) => (s.slug === shop ? { ...s, slug: result.slug, storefront_url: result.storefront_url } : s)));
            await navigate({ to: "/$shop/settings/address", params: { shop: result.slug }, replace: true });
            queries.removeQueries({ queryKey: [shop] });
            told(say, say("slugChanged", { slug: result.slug }));
          }}
        >
          {({ at }) => <TextInput label={say("shopSlug")} description={say("shopSlugHint")} required maxLength={63} dir="ltr" {...text("slug")} error={at("slug")} />}
        </Form>
      )}
    </Panel>
  );
}
