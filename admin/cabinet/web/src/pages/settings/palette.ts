// The colours and fonts of the storefront, as render/palette.go and internal/shop make them.

type Colour = [number, number, number];

export const leastContrast = 3; // of an accent to the white page

const white: Colour = [255, 255, 255];
const black: Colour = [0, 0, 0];

export function parseColour(text: string): Colour | undefined {
  const hex = /^#(?:([0-9a-f])([0-9a-f])([0-9a-f])|([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}))$/i.exec(text)?.slice(1).filter(Boolean);
  return hex && (hex.map((part) => parseInt(part.length === 1 ? part + part : part, 16)) as Colour);
}

export const hex = (c: Colour) => "#" + c.map((part) => part.toString(16).padStart(2, "0")).join("");

function luminance(c: Colour): number {
  const [r, g, b] = c.map((v) => (v / 255 > 0.04045 ? ((v / 255 + 0.055) / 1.055) ** 2.4 : v / 255 / 12.92)) as Colour;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: Colour, b: Colour = white): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const mix = (a: Colour, b: Colour, part: number) => a.map((v, i) => Math.round(v + (b[i]! - v) * part)) as Colour;

function withContrast(c: Colour, on: Colour, least: number, away: Colour): Colour {
  if (contrast(c, on) >= least) return c;
  let [low, high] = [0, 1];
  for (let i = 0; i < 8; i++) {
    const middle = (low + high) / 2;
    if (contrast(mix(c, away, middle), on) >= least) high = middle;
    else low = middle;
  }
  return mix(c, away, high);
}

const ownAccent: Colour = [0x9c, 0x45, 0x27];

// pages are the storefront's own colours, light and dark.
const pages = {
  light: { page: "#ffffff", tint: "#efe7dc", ink: "#2c2622", card: "#f6f1ea", away: black },
  dark: { page: "#191512", tint: "#342c25", ink: "#f3ede6", card: "#262019", away: white },
};

// shades are the colours of a page with an accent; without one, with the storefront's own.
export function shades(accent: string, scheme: keyof typeof pages) {
  const p = pages[scheme];
  const own = parseColour(accent) ?? ownAccent;
  const fill = withContrast(own, parseColour(p.page)!, leastContrast, p.away);
  return {
    page: p.page,
    ink: p.ink,
    card: p.card,
    link: hex(withContrast(own, parseColour(p.tint)!, 4.5, p.away)),
    fill: hex(fill),
    on: contrast(fill) < 4.5 ? "#000000" : "#ffffff",
  };
}

export const fonts = {
  system: 'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
  humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",source-sans-pro,sans-serif',
  geometric: 'Avenir,Montserrat,Corbel,"URW Gothic",source-sans-pro,sans-serif',
  rounded: 'ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,Manjari,"Arial Rounded MT",Calibri,source-sans-pro,sans-serif',
  serif: 'ui-serif,Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif',
  "old-style": '"Iowan Old Style","Palatino Linotype","URW Palladio L",P052,serif',
  slab: 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",serif',
  typewriter: 'ui-monospace,"Cascadia Code","Source Code Pro",Menlo,Consolas,"DejaVu Sans Mono",monospace',
  handwritten: '"Segoe Print","Bradley Hand",Chilanka,TSCu_Comic,casual,cursive',
};
