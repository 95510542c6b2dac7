import { Badge, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { CardLink } from "../../parts/links";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import { methodsQuery } from "./data";
import { Heading } from "./Heading";
import { methods, type MethodName } from "./methods";

// Payments is the list of the ways to pay, set up or not.
export function Payments() {
  const { shop } = useParams({ from: "/$shop/settings/payments" });
  const { say } = useWords(words);
  const list = useQuery(methodsQuery(shop));
  const { data: passport } = useQuery(passportQuery(shop));
  useShownCall({ method: "GET", path: "/v1/shop/payment-methods" });
  return (
    <Stack maw={960}>
      <Heading title={say("page_payments")} />
      {list.isError && !list.data ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : !list.data || !passport ? (
        <Skeleton h={240} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(Object.keys(methods) as MethodName[]).map((name) => {
            const set = list.data.find((m) => m.method === name);
            return (
              <CardLink key={name} withBorder to="/$shop/settings/payments/$method" params={{ shop, method: name }} disabled={passport.role === "editor"}>
                <Group justify="space-between" wrap="nowrap" align="flex-start">
                  <Text fw={600}>{say(`method_${name}`)}</Text>
                  <Badge tt="none" variant="light" color={set?.is_active ? "teal" : "gray"} style={{ flexShrink: 0 }}>
                    {say(!set ? "methodNew" : set.is_active ? "methodOn" : "methodOff")}
                  </Badge>
                </Group>
                {set && (
                  <Text size="sm" dir="auto" lineClamp={2}>
                    {set.title}
                  </Text>
                )}
                <Text size="sm" c="dimmed">
                  {say(`method_${name}_text`)}
                </Text>
              </CardLink>
            );
          })}
        </SimpleGrid>
      )}
      {passport?.role === "editor" && <Text size="sm">{say("noRight")}</Text>}
    </Stack>
  );
}
