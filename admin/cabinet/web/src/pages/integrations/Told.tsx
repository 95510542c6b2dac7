import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { useWords } from "../../words";
import { words } from "../../words/integrations";
import { sellersQuery } from "./data";
import { Journal } from "./Journal";

// Told is what an assistant was told of its orders.
export function Told() {
  const { shop, id } = useParams({ from: "/$shop/integrations/selling/$id" });
  const search = useSearch({ from: "/$shop/integrations/selling/$id" });
  const navigate = useNavigate({ from: "/$shop/integrations/selling/$id" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const list = useQuery(sellersQuery(shop));
  const seller = list.data?.platforms.find((p) => p.id === id);
  useShownCall(seller?.webhook_id ? { method: "GET", path: `/webhooks/${seller.webhook_id}/deliveries`, session: true } : { method: "GET", path: "/v1/shop/assistants", session: true });
  return (
    <Stack>
      <Heading back={{ to: "/$shop/integrations/selling", label: say("selling") }} title={seller?.name ?? id} />
      {list.isError ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : !list.data || !passport ? (
        <Skeleton h={320} />
      ) : seller?.webhook_id ? (
        <Journal shop={shop} hook={{ id: seller.webhook_id, is_active: !seller.blocked }} zone={passport.store.timezone} locked={false} search={search} onSearch={(search) => void navigate({ search })} />
      ) : (
        <Text size="sm">{say("noDeliveries")}</Text>
      )}
    </Stack>
  );
}
