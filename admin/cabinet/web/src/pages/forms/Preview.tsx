import { Anchor, Button, Checkbox, FileInput, Input, NativeSelect, Radio, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/forms";
import { optionsOf, type Field, type Values } from "./fields";

// Preview draws a form like the storefront does, before it is saved. It can be tried, and sends nothing.
export function Preview({ values }: { values: Values }) {
  const { say } = useWords(words);
  return (
    <Stack gap="sm" role="group" aria-label={say("preview")} onKeyDown={(e) => e.key === "Enter" && e.target instanceof HTMLInputElement && e.preventDefault()}>
      <Text fw={650} size="lg" dir="auto">
        {values.name}
      </Text>
      {values.fields.map((f) => f.type !== "hidden" && <Asked key={f.key + f.type} field={f} />)}
      <Button tabIndex={-1} style={{ alignSelf: "flex-start" }} maw="100%">
        {values.submit_text || say("submitDefault")}
      </Button>
    </Stack>
  );
}

function Asked({ field: f }: { field: Field }) {
  const { say, language } = useWords(words);
  const label = <span dir="auto">{f.label || f.name}</span>;
  const common = { label, description: f.help || undefined, withAsterisk: f.required, placeholder: f.placeholder, dir: "auto" as const, inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description" | "error")[] };
  switch (f.type) {
    case "textarea":
      return <Textarea {...common} rows={5} />;
    case "select":
      return <NativeSelect {...common} data={["", ...new Set(optionsOf(f))]} />;
    case "radio":
      return (
        <Radio.Group {...common}>
          <Stack gap={6} my={4}>
            {[...new Set(optionsOf(f))].map((o) => (
              <Radio key={o} value={o} label={<span dir="auto">{o}</span>} />
            ))}
          </Stack>
        </Radio.Group>
      );
    case "checkbox":
    case "consent":
      return (
        <Input.Wrapper description={f.help || undefined} inputWrapperOrder={["input", "description"]} labelElement="div">
          <Checkbox
            label={
              <>
                {label}
                {f.required && " *"}
              </>
            }
          />
          {f.type === "consent" && f.url && (
            <Anchor component="span" size="sm">
              {say("more")}
            </Anchor>
          )}
        </Input.Wrapper>
      );
    case "file":
      return <FileInput {...common} description={[f.help, say("sizeAtMost", { n: Number(f.max_size.replace(",", ".") || 10).toLocaleString(language, { maximumFractionDigits: 1 }) })].filter(Boolean).join(" ")} />;
    default:
      return <TextInput {...common} type={{ email: "email", phone: "tel", date: "date" }[f.type as string] ?? "text"} />;
  }
}
