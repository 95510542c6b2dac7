import { Group, Select, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useShownCall } from "../../frame/Call";
import { Failure } from "../../frame/Failure";
import { passportQuery } from "../../frame/session";
import { Heading } from "../../parts/Heading";
import { AnchorLink } from "../../parts/links";
import { failed, told } from "../../parts/notice";
import { Panel } from "../../parts/Panel";
import { useWords } from "../../words";
import { words } from "../../words/design";
import { bind, pageQuery, resourceTypes, sectionsQuery, type Binding, type Page, type ResourceType } from "./data";
import { DesignPages } from "./DesignPages";

const slots = { header: "slot_header", body: "slot_body", footer: "slot_footer", body_news: "slot_body_news", body_article: "slot_body_article" } as const;
const special: ResourceType[] = ["shop", "theme", "article"];

// Slots shows where the header, the body and the footer of a page come from, and binds groups to them.
export function Slots() {
  const { shop } = useParams({ from: "/$shop/design/slots" });
  const { say } = useWords(words);
  const { data: passport } = useQuery(passportQuery(shop));
  const sections = useQuery(sectionsQuery(shop));
  const { of: chosen = "shop:0" } = useSearch({ from: "/$shop/design/slots" });
  const navigate = useNavigate({ from: "/$shop/design/slots" });
  const [type = "shop", id = "0"] = chosen.split(":") as [ResourceType, string];
  const page = useQuery(pageQuery(shop, resourceTypes.find((t) => t === type) ?? "shop", Number(id)));
  useShownCall({ method: "GET", path: `/design/bindings/${type}/${id}`, draft: true });
  const layouts = (page.data?.blocks ?? []).filter((b) => b.group_type === "theme");
  const places = [
    { value: "shop:0", label: say("allPages") },
    ...layouts.map((b) => ({ value: `theme:${b.id}`, label: say("layoutNamed", { name: b.name }) })),
    ...(sections.data ?? []).filter((s) => !s.is_deleted).map((s) => ({ value: `category:${s.id}`, label: s.name })),
    ...(sections.data ?? []).filter((s) => !s.is_deleted && s.type === "product").map((s) => ({ value: `category_children:${s.id}`, label: say("productsOf", { name: s.name }) })),
  ];
  return (
    <Stack>
      <Heading title={say("design")} />
      <DesignPages />
      <Text size="sm" c="dimmed">
        {say("slotsText")}
      </Text>
      <Select label={say("slotsOf")} data={places} value={chosen} onChange={(v) => v && void navigate({ search: { of: v } })} searchable allowDeselect={false} maw={480} />
      {page.isError && !page.data ? <Failure error={page.error} retry={() => void page.refetch()} /> : page.data ? <Bound key={chosen + page.dataUpdatedAt} shop={shop} page={page.data} locked={!passport?.capabilities.catalog_write} /> : <Skeleton h={240} />}
      {page.data && (
        <Panel title={say("layouts")} text={say("layoutsText")}>
          {layouts.length === 0 && <Text size="sm">{say("noLayouts")}</Text>}
          {layouts.map((b, i) => (
            <Group key={b.id} gap="xs">
              <Text size="sm" dir="auto">
                {b.name}
              </Text>
              {i === 0 && (
                <Text size="xs" c="dimmed">
                  {say("layoutInUse")}
                </Text>
              )}
            </Group>
          ))}
        </Panel>
      )}
    </Stack>
  );
}

function Bound({ shop, page, locked }: { shop: string; page: Page; locked: boolean }) {
  const { say } = useWords(words);
  const queries = useQueryClient();
  const groups = page.blocks.filter((b) => b.group_type !== "" && b.group_type !== "theme");
  const names = (Object.keys(slots) as (keyof typeof slots)[]).filter((s) => !s.startsWith("body_") || special.includes(page.type));
  const save = useMutation({
    mutationFn: (slots: Binding["slots"]) => bind({ type: page.type, id: String(page.id) }, slots, page.binding.updated_at),
    onSuccess: (binding) => {
      queries.setQueryData(pageQuery(shop, page.type, page.id).queryKey, { ...page, binding });
      void queries.invalidateQueries({ queryKey: [shop, "drafts"] });
      told(say, say("saved"));
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say("slot")}</Table.Th>
            <Table.Th>{say("boundHere")}</Table.Th>
            <Table.Th>{say("shownFrom")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((slot) => {
            const bound = page.binding.resolved[slot];
            const group = bound && page.blocks.find((b) => b.id === bound.group_id);
            return (
              <Table.Tr key={slot}>
                <Table.Td>{say(slots[slot])}</Table.Td>
                <Table.Td>
                  <Select
                    aria-label={say(slots[slot])}
                    placeholder={say("inherited")}
                    data={groups.map((b) => ({ value: b.id, label: b.name }))}
                    value={page.binding.slots[slot] ?? null}
                    readOnly={locked || save.isPending}
                    clearable={!locked}
                    clearButtonProps={{ "aria-label": `${say("clear")}: ${say(slots[slot])}` }}
                    searchable
                    onChange={(v) => {
                      const { [slot]: _, ...rest } = page.binding.slots;
                      save.mutate(v ? { ...rest, [slot]: v } : rest);
                    }}
                  />
                </Table.Td>
                <Table.Td>
                  {bound ? (
                    <>
                      <Text size="sm" component="span" dir="auto">
                        {group?.name ?? `№ ${bound.group_id}`}
                      </Text>{" "}
                      <Text size="xs" c="dimmed" component="span">
                        {bound.source.type === page.type && Number(bound.source.id) === page.id ? say("fromHere") : say("fromSource", { source: say(`source_${bound.source.type as "shop"}`) })}
                      </Text>
                    </>
                  ) : (
                    <Text size="sm" c="dimmed">
                      {say("platformDraws")}
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      {page.type !== "theme" && (
        <AnchorLink to="/$shop/design/$type/$id" params={{ shop, type: page.type, id: String(page.id) }} search={{}} size="sm">
          {say("editBlocks")}
        </AnchorLink>
      )}
    </Table.ScrollContainer>
  );
}
