import { Select } from "@mantine/core";
import { lazy, Suspense } from "react";
import { panel } from "../form";
import { Panel } from "./Panel";

const Parts = lazy(() => import("./Parts"));

// Combo says of which products a set consists.
export const Combo = panel(["kind", "combo_items", "combo_percent"], function Combo({ form: { say, choice, values, faults } }) {
  return (
    <Panel title={say("comboTitle")} folds={values.kind !== "combo"} faults={faults}>
      <Select {...choice("kind")} data={(["standard", "combo", "multi"] as const).map((value) => ({ value, label: say(`kind_of_${value}`) }))} />
      {values.kind === "combo" && (
        <Suspense>
          <Parts />
        </Suspense>
      )}
    </Panel>
  );
});
