import { Button, Switch, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconHistory } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { panel } from "../form";
import { Panel } from "./Panel";

const StockDrawer = lazy(() => import("./StockDrawer"));

const fields = ["sku", "stock_by", "kind", "variants", "quantity", "low_threshold"] as const;

export const Stock = panel(fields, function Stock({ form: { text, say, values, set, locked, card, faults } }) {
  const [opened, { open, close }] = useDisclosure(false);
  const byVariant = values.stock_by === "variant";
  const ofParts = values.kind === "combo";
  return (
    <Panel title={say("stock")}>
      <TextInput {...text("sku")} maxLength={255} />
      {(values.variants.length > 0 || byVariant) && (
        <Switch
          label={say("countByVariant")}
          checked={byVariant}
          disabled={locked}
          error={faults.stock_by}
          onChange={(e) => set("stock_by", e.currentTarget.checked ? "variant" : "product")}
        />
      )}
      {ofParts && <div>{say("stockOfParts")}</div>}
      {!byVariant && !ofParts && (
        <>
          <TextInput {...text("quantity")} inputMode="numeric" description={say("quantityHint")} maxLength={10} dir="ltr" />
          <TextInput {...text("low_threshold")} inputMode="numeric" maxLength={10} dir="ltr" />
        </>
      )}
      {card && !ofParts && (
        <Button variant="default" leftSection={<IconHistory size={16} />} onClick={open}>
          {say("movements")}
        </Button>
      )}
      {card && opened && (
        <Suspense>
          <StockDrawer card={card} locked={locked} onClose={close} />
        </Suspense>
      )}
    </Panel>
  );
});
