import { ActionIcon, Grid, SegmentedControl, Input, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconColorPicker } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { passportQuery } from "../../frame/session";
import { Panel } from "../../parts/Panel";
import { contrast, fonts, hex, leastContrast, parseColour } from "./palette";
import { Preview } from "./Preview";
import { SettingsForm, type SettingsProps } from "./SettingsForm";

// Look is the page of the look of the storefront, with a preview of what is typed.
export function Look() {
  return (
    <SettingsForm page="look" wide>
      {(form) => (
        <Grid>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Choices {...form} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Panel title={form.say("lookPreview")} text={form.say("lookPreviewText")}>
              <Shown {...form} />
            </Panel>
          </Grid.Col>
        </Grid>
      )}
    </SettingsForm>
  );
}

function Shown({ shop, values }: SettingsProps) {
  const { data: passport } = useQuery(passportQuery(shop));
  return <Preview name={passport?.store.name ?? ""} values={values} />;
}

function Choices({ say, values, set, faults, inputs: { text, choice } }: SettingsProps) {
  const typed = values.accent.trim();
  const colour = parseColour(typed);
  const ratio = colour && contrast(colour);
  const low = ratio !== undefined && ratio < leastContrast;
  const says = { ratio: ratio?.toFixed(1) ?? "", least: leastContrast };
  const names = Object.keys(fonts) as (keyof typeof fonts)[];
  const list = (none: string) => [{ value: "", label: none }, ...names.map((value) => ({ value: value as string, label: say(`font_${value}`) }))];
  return (
    <Stack>
      <Panel title={say("colours")}>
        <TextInput
          {...text("accent", 16)}
          description={say("accentHint")}
          dir="ltr"
          error={faults.accent ?? (typed && !colour ? say("notAColour") : low ? say("contrastLow", says) : undefined)}
          rightSection={
            <ActionIcon component="label" variant="default" size="sm" style={{ background: colour ? hex(colour) : undefined }}>
              {!colour && <IconColorPicker size={14} />}
              <input type="color" className="skip" aria-label={say("chooseColour")} value={colour ? hex(colour) : "#9c4527"} onChange={(e) => set("accent", e.currentTarget.value)} />
            </ActionIcon>
          }
        />
        {ratio !== undefined && !low && (
          <Text size="sm" role="status">
            {say("contrastEnough", says)}
          </Text>
        )}
        <TextInput {...text("radius", 2)} description={say("radiusHint")} inputMode="numeric" dir="ltr" />
        <Input.Wrapper label={say("f_color_scheme")} error={faults.color_scheme} labelElement="div">
          <SegmentedControl
            fullWidth
            mt={4}
            transitionDuration={0}
            value={values.color_scheme}
            onChange={(v) => set("color_scheme", v)}
            data={(["auto", "light", "dark"] as const).map((value) => ({ value, label: say(`scheme_${value}`) }))}
            aria-label={say("f_color_scheme")}
          />
        </Input.Wrapper>
      </Panel>
      <Panel title={say("fonts")}>
        <Select {...choice("text_font")} data={list(say("font_"))} renderOption={({ option }) => <Sample font={option.value} label={option.label} />} />
        <Select {...choice("heading_font")} data={list(say("font_same"))} renderOption={({ option }) => <Sample font={option.value} label={option.label} />} />
      </Panel>
    </Stack>
  );
}

function Sample({ font, label }: { font: string; label: string }) {
  return (
    <Text size="sm" ff={fonts[font as keyof typeof fonts]}>
      {label}
    </Text>
  );
}
