import { SimpleGrid } from "@mantine/core";
import { useWords } from "../../words";
import { words } from "../../words/settings";
import type { Fields } from "./fields";
import { contrast, fonts, leastContrast, parseColour, shades } from "./palette";

// Preview draws parts of a page of the shop with the look that is typed. An accent that would be
// refused is not shown.
export function Preview({ name, values }: { name: string; values: Fields }) {
  const { say } = useWords(words);
  const colour = parseColour(values.accent.trim());
  const accent = colour && contrast(colour) >= leastContrast ? values.accent.trim() : "";
  const stack = (font: string) => fonts[font as keyof typeof fonts] as string | undefined;
  const text = stack(values.text_font) ?? fonts.system;
  const heading = stack(values.heading_font) ?? text;
  const px = /^\d+$/.test(values.radius.trim()) ? Math.min(32, Number(values.radius)) : undefined;
  const schemes = values.color_scheme === "auto" ? (["light", "dark"] as const) : ([values.color_scheme as "light" | "dark"] as const);
  return (
    <SimpleGrid cols={{ base: 1, sm: schemes.length }}>
      {schemes.map((scheme) => {
        const c = shades(accent, scheme);
        return (
          <div
            key={scheme}
            role="img"
            aria-label={`${say("lookPreview")}: ${say(`scheme_${scheme}`)}`}
            data-scheme={scheme}
            style={{ background: c.page, color: c.ink, fontFamily: text, border: "1px solid var(--mantine-color-default-border)", padding: 16 }}
          >
            <div dir="auto" style={{ fontFamily: heading, fontWeight: 700, fontSize: 20, marginBottom: 12 }}>
              {name}
            </div>
            <div style={{ background: c.card, borderRadius: px ?? 12, padding: 16 }}>
              <div style={{ fontFamily: heading, fontWeight: 700, fontSize: 24 }}>{say("sampleHeading")}</div>
              <p>
                {say("sampleText")} <span style={{ color: c.link, textDecoration: "underline" }}>{say("sampleLink")}</span>
              </p>
              <span data-button style={{ display: "inline-block", background: c.fill, color: c.on, borderRadius: px ?? 999, padding: "10px 20px", fontWeight: 600 }}>
                {say("sampleButton")}
              </span>
            </div>
          </div>
        );
      })}
    </SimpleGrid>
  );
}
