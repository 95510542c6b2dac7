package render

import (
	"cmp"
	"strconv"

	"vitrine/internal/shop"
)

// The backgrounds behind accent colours, as in shape.css: the page itself and the tint with
// the lowest contrast.
var (
	lightPage, lightTint = shop.White, shop.Color{R: 0xef, G: 0xe7, B: 0xdc}
	darkPage, darkTint   = shop.Color{R: 0x19, G: 0x15, B: 0x12}, shop.Color{R: 0x34, G: 0x2c, B: 0x25}
)

// shades are the variations of an accent on a light or a dark page.
type shades struct {
	accent, deep   shop.Color // text and lines, and their hover colour
	fill, fillDeep shop.Color // backgrounds of text
	on             shop.Color // text on a fill
}

// shadesOf keeps an accent if its contrast is sufficient; otherwise it moves it away from the
// page's colour until it is: 4.5 to 1 for text, 3 to 1 for a fill.
func shadesOf(accent shop.Color, dark bool) shades {
	page, tint, away := lightPage, lightTint, shop.Black
	if dark {
		page, tint, away = darkPage, darkTint, shop.White
	}
	s := shades{accent: withContrast(accent, tint, 4.5, away), fill: withContrast(accent, page, shop.MinAccent, away), on: shop.White}
	if s.fill.Contrast(s.on) < 4.5 {
		s.on = shop.Black
	}
	s.deep = s.accent.Mix(away, 0.2)
	s.fillDeep = s.fill.Mix(shop.White, 0.15)
	if s.on == shop.White {
		s.fillDeep = s.fill.Mix(shop.Black, 0.2)
	}
	return s
}

// withContrast mixes as little of another colour into c as needed to reach a contrast.
func withContrast(c, on shop.Color, contrast float64, away shop.Color) shop.Color {
	if c.Contrast(on) >= contrast {
		return c
	}
	low, high := 0.0, 1.0
	for range 8 {
		if middle := (low + high) / 2; c.Mix(away, middle).Contrast(on) >= contrast {
			high = middle
		} else {
			low = middle
		}
	}
	return c.Mix(away, high)
}

// themed is the selector of the elements that carry the storefront's variables.
const themed = ".v-header,.v-footer,.v-wrap,.v-skip,.v-pin,.v-preview"

// style prints the owner's choices of look after the style sheet, in the same layers, so that
// an author's rules win over it as over every other rule of the storefront. The text of
// uploaded documents keeps its fonts.
func (w *writer) style() {
	look := w.view.Shop.Face.Look
	var rules string
	if accent, ok := shop.ParseColor(look.Accent); ok {
		light, dark := shadesOf(accent, false), shadesOf(accent, true)
		one := func(name string, a, b shop.Color) (plain, both string) {
			return "--" + name + ":" + a.String() + ";", "--" + name + ":light-dark(" + a.String() + "," + b.String() + ");"
		}
		var plain, both string
		for _, v := range []struct {
			name string
			a, b shop.Color
		}{
			{"accent", light.accent, dark.accent}, {"accent-deep", light.deep, dark.deep},
			{"fill", light.fill, dark.fill}, {"fill-deep", light.fillDeep, dark.fillDeep}, {"on", light.on, dark.on},
		} {
			p, b := one(v.name, v.a, v.b)
			plain, both = plain+p, both+b
		}
		rules += themed + "{" + plain + "}@supports (color:light-dark(#000,#fff)){" + themed + "{" + both + "}}"
	}
	if look.Radius != nil && *look.Radius >= 0 && *look.Radius <= shop.MaxRadius {
		px := strconv.Itoa(*look.Radius) + "px"
		rules += themed + "{--radius:" + px + ";--round:" + px + "}"
	}
	if fonts := shop.Fonts[look.Text]; fonts != "" {
		rules += ".v-header,.v-footer,.v-wrap:not(.v-boxed),.v-pin{font-family:" + fonts + "}"
	}
	if fonts := shop.Fonts[look.Heading]; fonts != "" {
		rules += ".v-brand,:is(.v-wrap:not(.v-boxed),.v-pin) :is(h1,h2,h3,.v-widget__title){font-family:" + fonts + "}"
	}
	if rules != "" {
		w.raw("<style>@layer base,storefront;@layer storefront{" + rules + "}</style>\n")
	}
}

// scheme is the owner's choice of light or dark; empty if the visitor decides.
func (v *view) scheme() string {
	switch s := v.Shop.Face.Look.Scheme; s {
	case shop.SchemeLight, shop.SchemeDark:
		return string(s)
	}
	return ""
}

// Chooses reports whether the visitor decides between light and dark.
func (v *view) Chooses() bool { return v.scheme() == "" }

// own reports whether everything on the page is the storefront's own, so that all of it may
// be dark. Authors' documents keep the white background they were designed for.
func (v *view) own() bool {
	l := &v.Layout
	if l.Class != "" && !v.Guarded {
		return false
	}
	return !authored(l.Header) && !authored(l.Body) && !authored(l.Footer)
}

// authored reports whether an html document is among the blocks.
func authored(blocks []Block) bool {
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == BlockHTML || authored(b.Group) || authored(b.Aside) {
			return true
		}
		if b.Widget != nil {
			for _, cell := range b.Widget.Cells {
				if authored(cell) {
					return true
				}
			}
		}
	}
	return false
}

// barColor sets the colour of the browser's own bars to that of the page. The script updates
// it with the visitor's choice.
func (w *writer) barColor() {
	if w.view.own() {
		// A meta is known before the first paint. The style of body could be changed by the
		// scripts of a website.
		w.raw(`<meta name="color-scheme" content="` + cmp.Or(w.view.scheme(), "light dark") + "\" data-v-own>\n")
	}
	switch w.view.scheme() {
	case "light":
		w.meta("name", "theme-color", lightPage.String())
	case "dark":
		w.meta("name", "theme-color", darkPage.String())
	default:
		for _, c := range []struct{ scheme, color string }{{"light", lightPage.String()}, {"dark", darkPage.String()}} {
			w.raw(`<meta name="theme-color" content="` + c.color + `" media="(prefers-color-scheme: ` + c.scheme + ")\">\n")
		}
		if !w.view.FullLoad() {
			w.raw("<script>" + earlyScheme + "</script>\n")
		}
	}
}

// earlyScheme is inlined into the page: the visitor's choice is known before the first paint,
// so nothing flashes.
var earlyScheme = string(joined(schemeFiles, "assets/", ".js", "scheme"))
