import { TextInput } from "@mantine/core";
import { AnchorLink } from "../../../parts/links";
import { panel } from "../form";
import { Panel } from "./Panel";

export const Price = panel(["price", "old_price"], function Price({ form: { shop, card, text, say, passport, values } }) {
  const money = { inputMode: "decimal", rightSection: passport.store.currency, rightSectionWidth: 52, maxLength: 20, dir: "ltr" } as const;
  return (
    <Panel>
      <TextInput {...text("price")} {...money} description={values.price.trim() === "" ? say("noPriceHint") : undefined} />
      <TextInput {...text("old_price")} {...money} />
      {card && !card.is_deleted && (
        <AnchorLink to="/$shop/promotions/explain" params={{ shop }} search={{ product: card.id }} size="sm">
          {say("priceMakeup")}
        </AnchorLink>
      )}
    </Panel>
  );
});
