import { Alert, Badge, Button, Group, PasswordInput, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { shopsQuery } from "../../frame/session";
import { dateText } from "../../parts/dates";
import { Form } from "../../parts/Form";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { Heading } from "./Heading";

// State is the page where the owner closes, opens and deletes the shop.
export function State() {
  const { shop } = useParams({ from: "/$shop/settings/state" });
  const { say } = useWords(words);
  const shops = useQuery(shopsQuery);
  const own = shops.data?.find((s) => s.slug === shop);
  useShownCall({ method: "PUT", path: "/v1/shop/state", body: { closed: !own?.closed, ...(own?.closed === false && { pin: "…" }) } });
  return (
    <Stack maw={640}>
      <Heading title={say("page_state")} />
      {shops.isError && !shops.data ? (
        <Failure error={shops.error} retry={() => void shops.refetch()} />
      ) : !own ? (
        <Skeleton h={240} />
      ) : (
        <>
          {own.role !== "owner" && <Alert variant="light">{say("ownerOnly")}</Alert>}
          <Doors shop={shop} closed={own.closed} owner={own.role === "owner"} />
          {own.role === "owner" && <End shop={shop} name={own.name} />}
        </>
      )}
    </Stack>
  );
}

// Doors closes and opens the shop.
function Doors({ shop, closed, owner }: { shop: string; closed: boolean; owner: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const [pin, setPin] = useState("");
  async function set(body: { closed: boolean; pin?: string }) {
    await answer(api.PUT("/v1/shop/state", { body }));
    setPin("");
    await queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
    void queries.invalidateQueries({ queryKey: [shop] });
    told(say, say("saved"));
  }
  const open = useMutation({ mutationFn: () => set({ closed: false }), onError: (error) => failed(say, error) });
  return (
    <Panel title={say("state")}>
      <div>
        <Badge tt="none" variant="light" color={closed ? "orange" : "teal"} role="status">
          {say(closed ? "isClosed" : "isOpen")}
        </Badge>
        <Text size="sm" mt={4}>
          {say(closed ? "isClosedText" : "isOpenText")}
        </Text>
      </div>
      {owner && closed && (
        <Button style={{ alignSelf: "flex-start" }} loading={open.isPending} onClick={() => open.mutate()}>
          {say("openShopNow")}
        </Button>
      )}
      {owner && (
        <Form key={String(closed)} submit={say(closed ? "changePin" : "closeShop")} fields={{ pin }} onSubmit={() => set({ closed: true, pin: pin.trim() })}>
          {({ at }) => (
            <PasswordInput label={say(closed ? "newPin" : "pin")} description={say("pinHint")} required inputMode="numeric" autoComplete="off" maxLength={12} maw={260} value={pin} onChange={(e) => setPin(e.currentTarget.value)} error={at("pin")} visibilityToggleButtonProps={{ "aria-hidden": true }} />
          )}
        </Form>
      )}
    </Panel>
  );
}

// End deletes the shop, so that its owner can restore it for a while.
function End({ shop, name }: { shop: string; name: string }) {
  const { say, language } = useWords(words);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [slug, setSlug] = useState("");
  const remove = useMutation({
    mutationFn: async () => (await answer(api.DELETE("/v1/shop", { body: { slug: slug.trim() } }))).result,
    onSuccess: async ({ deleted_at, restorable_until }) => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone; // the shop's is no longer known
      told(say, say("shopDeleted", { name, date: dateText(restorable_until, zone, language) }));
      // Nothing is asked in the shop, which nobody finds now.
      queries.setQueryData(shopsQuery.queryKey, (list) => list?.map((s) => (s.slug === shop ? { ...s, deleted_at, restorable_until } : s)));
      await navigate({ to: "/" });
      queries.removeQueries({ queryKey: [shop] });
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Panel title={say("deleteTitle")} text={say("deleteText")}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (slug.trim() === shop && !remove.isPending) remove.mutate();
        }}
      >
        <Stack>
          <TextInput label={say("typeSlug", { slug: shop })} autoComplete="off" dir="ltr" maxLength={63} value={slug} onChange={(e) => setSlug(e.currentTarget.value)} />
          <Group>
            <Button type="submit" color="red" disabled={slug.trim() !== shop} loading={remove.isPending}>
              {say("deleteShop")}
            </Button>
            <AnchorLink to="/$shop/transfer" params={{ shop }} size="sm">
              {say("exportFirst")}
            </AnchorLink>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
