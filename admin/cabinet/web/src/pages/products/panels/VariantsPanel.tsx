import { Button, Skeleton, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { panel } from "../form";
import { Panel } from "./Panel";

const Variants = lazy(() => import("../variants/Variants"));

// VariantsPanel loads the table of variants once the product has some, or is given its first option.
export const VariantsPanel = panel(["options", "variants"], function VariantsPanel({ form: { say, values, set, locked } }) {
  const none = values.options.length === 0 && values.variants.length === 0;
  if (none && locked) return null;
  return (
    <Panel title={say("variants")}>
      {none ? (
        <>
          <Text size="sm" c="dimmed">
            {say("noVariants")}
          </Text>
          <Button variant="default" onClick={() => set("options", [{ name: "", values: [] }])} style={{ alignSelf: "start" }}>
            {say("addOption")}
          </Button>
        </>
      ) : (
        <Suspense fallback={<Skeleton h={200} />}>
          <Variants />
        </Suspense>
      )}
    </Panel>
  );
});
