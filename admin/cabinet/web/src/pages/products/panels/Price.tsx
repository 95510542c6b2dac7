import { TextInput } from "@mantine/core";
import { useForm } from "../form";
import { Panel } from "./Panel";

export function Price() {
  const { text, say, passport, values } = useForm();
  const money = { inputMode: "decimal", rightSection: passport.store.currency, rightSectionWidth: 52, maxLength: 20, dir: "ltr" } as const;
  return (
    <Panel>
      <TextInput {...text("price")} {...money} description={values.price.trim() === "" ? say("noPriceHint") : undefined} />
      <TextInput {...text("old_price")} {...money} />
    </Panel>
  );
}
