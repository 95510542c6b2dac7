import { Alert, Autocomplete, Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client";
import { useShownCall } from "../../frame/Call";
import { Form } from "../../parts/Form";
import { told } from "../../parts/notice";
import { SectionTree, treeQuery } from "../../parts/sections";
import { useWords } from "../../words";
import { words } from "../../words/statistics";
import { bodyOf, lead, sourcesOf, type Lost } from "./redirects";

// RedirectDialog leads visitors somewhere from an address or a search that found nothing.
export default function RedirectDialog({ shop, lost, onMade, onClose }: { shop: string; lost: Lost; onMade: (to: string | undefined) => void; onClose: () => void }) {
  const { say } = useWords(words);
  const tree = useQuery(treeQuery(shop));
  const miss = useQuery({
    queryKey: [shop, "misses", lost.path],
    queryFn: async () => (await answer(api.GET("/storefront-redirects/misses", { params: { query: { q: lost.path!.slice(0, 200) } } }))).result.find((m) => m.path === lost.path) ?? null,
    enabled: lost.path !== undefined,
  });
  const [typed, setTyped] = useState<string>();
  const suggestion = miss.data?.suggestion?.to ?? "";
  const to = typed ?? suggestion;
  useShownCall({ method: "POST", path: "/storefront-redirects", body: bodyOf(sourcesOf(lost)[0]!, to) });
  const sections = new SectionTree((tree.data ?? []).filter((s) => !s.is_deleted && s.is_published));
  const names = new Map(sections.list.map((s) => [sections.pathOf(s), s.name]));
  return (
    <Modal opened onClose={onClose} title={say("makeRedirect")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("makeRedirect")}
        places={["item.to_target", "to_target"]}
        onSubmit={async () => {
          const undo = await lead(lost, to.trim());
          onMade(to.trim());
          onClose();
          told(say, say("redirectMade"), async () => {
            await undo();
            onMade(undefined);
          });
        }}
      >
        {({ at }) => (
          <>
            <Text size="sm">{lost.query === undefined ? say("redirectOfPath", { path: lost.path! }) : say("redirectOfSearch", { query: lost.query })}</Text>
            {miss.data && miss.data.answers !== 404 && (
              <Alert variant="light" color="orange">
                {say("answersNow")}
              </Alert>
            )}
            <Autocomplete
              label={say("target")}
              description={say(to !== "" && to === suggestion ? "suggested" : "targetHint")}
              required
              data-autofocus
              maxLength={2000}
              data={[...names.keys()]}
              renderOption={({ option }) => (
                <div>
                  <Text size="sm" dir="auto">
                    {names.get(option.value)}
                  </Text>
                  <Text size="xs" dir="ltr">
                    {option.value}
                  </Text>
                </div>
              )}
              filter={({ options, search }) => options.filter((o) => "value" in o && `${o.value} ${names.get(o.value)}`.toLowerCase().includes(search.trim().toLowerCase()))}
              limit={50}
              value={to}
              onChange={setTyped}
              error={at("item.to_target") ?? at("to_target")}
              dir="ltr"
            />
          </>
        )}
      </Form>
    </Modal>
  );
}
