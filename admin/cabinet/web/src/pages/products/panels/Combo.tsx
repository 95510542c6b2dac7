import { Select } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useForm } from "../form";
import { Panel } from "./Panel";

const Parts = lazy(() => import("./Parts"));

// Combo says of which products a set consists.
export function Combo() {
  const { say, choice, values } = useForm();
  return (
    <Panel title={say("comboTitle")} folds={values.kind === "combo" ? undefined : ["kind", "combo_items", "combo_percent"]}>
      <Select {...choice("kind")} data={(["standard", "combo", "multi"] as const).map((value) => ({ value, label: say(`kind_of_${value}`) }))} />
      {values.kind === "combo" && (
        <Suspense>
          <Parts />
        </Suspense>
      )}
    </Panel>
  );
}
