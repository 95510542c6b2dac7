import { Card, SegmentedControl, Skeleton, Switch, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { answer, api } from "../api/client";
import { Form } from "../parts/Form";
import { slugOf } from "../parts/slug";
import { useWords } from "../words";
import { shopsQuery } from "./session";

const FromFile = lazy(() => import("../pages/transfer/FromFile"));

// OpenShop opens a shop that is empty, or one from a file.
export default function OpenShop({ begun }: { begun: boolean }) {
  const { say } = useWords();
  const [way, setWay] = useState<string>(begun ? "openFromFile" : "openEmpty");
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        {say("openShop")}
      </Title>
      <SegmentedControl mb="md" transitionDuration={0} value={way} onChange={setWay} data={(["openEmpty", "openFromFile"] as const).map((value) => ({ value, label: say(value) }))} aria-label={say("openShop")} />
      {way === "openEmpty" ? (
        <NewShop />
      ) : (
        <Suspense fallback={<Skeleton h={320} />}>
          <FromFile />
        </Suspense>
      )}
    </Card>
  );
}

function NewShop() {
  const { say } = useWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | null>(null); // null: from the name
  const [currency, setCurrency] = useState("EUR");
  const [cents, setCents] = useState(true);
  const address = slug ?? slugOf(name);
  async function open() {
    const { result } = await answer(api.POST("/v1/orgs", { body: { name, slug: address, currency, price_digits: cents ? 2 : 0 } }));
    await queries.invalidateQueries({ queryKey: shopsQuery.queryKey });
    await navigate({ to: "/$shop/start", params: { shop: result.slug } });
  }
  return (
    <Form submit={say("openShop")} fields={{ name, slug: address, currency }} onSubmit={open}>
      {({ at }) => (
        <>
          <TextInput label={say("shopName")} name="shop-name" required maxLength={255} value={name} onChange={(e) => setName(e.currentTarget.value)} error={at("name")} dir="auto" />
          <TextInput label={say("shopSlug")} description={say("shopSlugHint")} name="shop-slug" required maxLength={63} value={address} onChange={(e) => setSlug(e.currentTarget.value)} error={at("slug")} />
          <TextInput label={say("currency")} name="shop-currency" required maxLength={3} value={currency} onChange={(e) => setCurrency(e.currentTarget.value.toUpperCase())} error={at("currency")} />
          <Switch
            label={say("cents")}
            description={`${cents ? "14.50" : "14"} ${currency}. ${say("centsHint")}`}
            checked={cents}
            onChange={(e) => setCents(e.currentTarget.checked)}
          />
        </>
      )}
    </Form>
  );
}
