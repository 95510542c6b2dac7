package render

import (
	"strconv"

	"vitrine/internal/shop"
)

// The pages that colours stand on, as shape.css has them: the page itself and the
// tint that is hardest to read on.
var (
	lightPage, lightTint = shop.White, shop.Color{R: 0xef, G: 0xe7, B: 0xdc}
	darkPage, darkTint   = shop.Color{R: 0x19, G: 0x15, B: 0x12}, shop.Color{R: 0x34, G: 0x2c, B: 0x25}
)

// shades are an accent in its uses on a light or a dark page.
type shades struct {
	accent, deep   shop.Color // words and lines, and those that are pointed at
	fill, fillDeep shop.Color // behind words
	on             shop.Color // words on a fill
}

// shadesOf keeps an accent as it is where it is seen, and moves it away from the
// page as far as it takes where it is not: 4.5 to 1 for words, 3 to 1 for a fill.
func shadesOf(accent shop.Color, dark bool) shades {
	page, tint, away := lightPage, lightTint, shop.Black
	if dark {
		page, tint, away = darkPage, darkTint, shop.White
	}
	s := shades{accent: seen(accent, tint, 4.5, away), fill: seen(accent, page, shop.MinAccent, away), on: shop.White}
	if s.fill.Contrast(s.on) < 4.5 {
		s.on = shop.Black
	}
	s.deep = s.accent.Toward(away, 0.2)
	s.fillDeep = s.fill.Toward(shop.White, 0.15)
	if s.on == shop.White {
		s.fillDeep = s.fill.Toward(shop.Black, 0.2)
	}
	return s
}

// seen is the colour with the least of another in it that has a contrast.
func seen(c, on shop.Color, contrast float64, away shop.Color) shop.Color {
	if c.Contrast(on) >= contrast {
		return c
	}
	low, high := 0.0, 1.0
	for range 8 {
		if middle := (low + high) / 2; c.Toward(away, middle).Contrast(on) >= contrast {
			high = middle
		} else {
			low = middle
		}
	}
	return c.Toward(away, high)
}

// dressed is what the storefront's variables stand on.
const dressed = ".v-header,.v-footer,.v-wrap,.v-skip,.v-pin,.v-preview"

// style prints what the owner chose of the look, behind the style sheet: it stands
// in the same layers, so that an author's rules win over it as over all of ours.
// Words of uploaded documents keep the fonts that they have.
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
		rules += dressed + "{" + plain + "}@supports (color:light-dark(#000,#fff)){" + dressed + "{" + both + "}}"
	}
	if look.Radius != nil && *look.Radius >= 0 && *look.Radius <= shop.MaxRadius {
		px := strconv.Itoa(*look.Radius) + "px"
		rules += dressed + "{--radius:" + px + ";--round:" + px + "}"
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

// scheme is what the page says of light and dark: that of the owner, else nothing,
// and the visitor decides.
func (v *view) scheme() string {
	switch s := v.Shop.Face.Look.Scheme; s {
	case shop.SchemeLight, shop.SchemeDark:
		return string(s)
	}
	return ""
}

// Chooses reports whether the visitor decides between light and dark.
func (v *view) Chooses() bool { return v.scheme() == "" }

// own reports whether all on the page is the storefront's own, so that all of it may
// be dark. What an author made has the ground that it had alone, a white one.
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

// barColor tells the browser's own bars the colour of the page. The visitor's
// choice is put into them by the script.
func (w *writer) barColor() {
	if w.view.own() {
		// Known before anything is painted. On body it would be told from what the
		// scripts of a website put there.
		w.raw(`<meta name="color-scheme" content="` + orElse(w.view.scheme(), "light dark") + "\" data-v-own>\n")
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

// earlyScheme stands in the page itself: with the visitor's choice known before the
// first paint, nothing flashes.
var earlyScheme = string(joined(schemeFiles, "assets/", ".js", "scheme"))
