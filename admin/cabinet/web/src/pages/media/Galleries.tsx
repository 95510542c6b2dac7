import { Card, Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { addressOf } from "../../parts/address";
import { galleriesQuery } from "../../parts/galleries";
import { Heading } from "../../parts/Heading";
import { ButtonLink, CardLink } from "../../parts/links";
import { Pager } from "../../parts/Pager";
import { Picture } from "../../parts/Picture";
import { useWords } from "../../words";
import { words } from "../../words/media";

const pageSize = 48;

export function Galleries() {
  const { shop } = useParams({ from: "/$shop/files/galleries" });
  const { page } = useSearch({ from: "/$shop/files/galleries" });
  const navigate = useNavigate({ from: "/$shop/files/galleries" });
  const { say } = useWords(words);
  const list = useQuery(galleriesQuery(shop, page ?? 1, pageSize));
  const { data: passport } = useQuery(passportQuery(shop));
  useShownCall({ method: "GET", path: addressOf("/galleries", { "page.number": page ?? 1, "page.limit": pageSize }) });
  return (
    <Stack>
      <Heading back={{ to: "/$shop/files", label: say("files") }} title={say("galleries")}>
        {passport?.capabilities.catalog_write && (
          <ButtonLink to="/$shop/files/galleries/$id" params={{ shop, id: "new" }} leftSection={<IconPlus size={16} />}>
            {say("newGallery")}
          </ButtonLink>
        )}
      </Heading>
      {list.isError && !list.data && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Skeleton h={200} />}
      {list.data?.result.length === 0 && (
        <Text py="xl" ta="center" c="dimmed">
          {say("noGalleries")}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
        {list.data?.result.map((g) => (
          <CardLink key={g.id} withBorder padding="sm" to="/$shop/files/galleries/$id" params={{ shop, id: g.id }}>
            <Card.Section inheritPadding pt="sm">
              <Group gap={4} wrap="nowrap" style={{ overflow: "hidden" }}>
                {g.items.slice(0, 4).map((i) => (
                  <Picture key={i.item_key} id={i.kind === "image" ? i.file?.id : i.poster?.id} size={72} />
                ))}
              </Group>
            </Card.Section>
            <Text fw={500} mt="xs" dir="auto" lineClamp={2}>
              {g.name}
            </Text>
            <Text size="sm" c="dimmed">
              {say("itemsCount", { n: g.items_total })}
            </Text>
          </CardLink>
        ))}
      </SimpleGrid>
      <Pager total={list.data?.total ?? 0} size={pageSize} page={page} onPage={(n) => void navigate({ search: { page: n } })} />
    </Stack>
  );
}
