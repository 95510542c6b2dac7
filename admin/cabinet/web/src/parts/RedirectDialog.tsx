import { Alert, Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../api/client";
import { useShownCall } from "../frame/Call";
import { useWords } from "../words";
import { words } from "../words/redirects";
import { Form } from "./Form";
import { told } from "./notice";
import { bodyOf, lead, sourcesOf, type Led, type Lost } from "./redirects";
import { TargetField } from "./TargetField";

// RedirectDialog leads visitors somewhere from an address or a search that found nothing.
export default function RedirectDialog({ shop, lost, onMade, onClose }: { shop: string; lost: Lost; onMade: (led: Led | undefined) => void; onClose: () => void }) {
  const { say } = useWords(words);
  const miss = useQuery({
    queryKey: [shop, "misses", "one", lost.path],
    queryFn: async () => (await answer(api.GET("/storefront-redirects/misses", { params: { query: { q: lost.path!.slice(0, 200) } } }))).result.find((m) => m.path === lost.path) ?? null,
    enabled: lost.path !== undefined,
  });
  const [typed, setTyped] = useState<string>();
  const suggestion = miss.data?.suggestion?.to ?? "";
  const to = typed ?? suggestion;
  useShownCall({ method: "POST", path: "/storefront-redirects", body: bodyOf(sourcesOf(lost)[0]!, to) });
  return (
    <Modal opened onClose={onClose} title={say("makeRedirect")} closeButtonProps={{ "aria-label": say("close") }}>
      <Form
        submit={say("makeRedirect")}
        fields={{ "item.to_target": typed, to_target: typed }}
        onSubmit={async () => {
          const led = await lead(lost, to.trim());
          onMade(led);
          onClose();
          told(say, say("redirectMade"), async () => {
            await led.undo();
            onMade(undefined);
          });
        }}
      >
        {({ at }) => (
          <>
            <Text size="sm" lineClamp={6}>
              {lost.query === undefined ? say("redirectOfPath", { path: lost.path! }) : say("redirectOfSearch", { query: lost.query })}
            </Text>
            {miss.data && miss.data.answers !== 404 && (
              <Alert variant="light" color="orange">
                {say("answersNow")}
              </Alert>
            )}
            <TargetField
              shop={shop}
              label={say("target")}
              description={say(to !== "" && to === suggestion ? "suggested" : "targetHint")}
              data-autofocus
              maxLength={2000}
              value={to}
              onChange={setTyped}
              error={at("item.to_target") ?? at("to_target")}
            />
          </>
        )}
      </Form>
    </Modal>
  );
}
