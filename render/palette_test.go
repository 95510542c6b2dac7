package render

import (
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/shop"

	"pgregory.net/rapid"
)

func colorOfText(t testing.TB, text string) shop.Color {
	t.Helper()
	c, ok := shop.ParseColor(text)
	if !ok {
		t.Fatalf("%q is not a colour", text)
	}
	return c
}

// pairs are the colours of shape.css by name, on a light and on a dark page.
func pairs(t testing.TB) map[string][2]shop.Color {
	t.Helper()
	found := map[string][2]shop.Color{"on": {shop.White, shop.White}}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)`).FindAllStringSubmatch(string(stylesheet), -1) {
		found[m[1]] = [2]shop.Color{colorOfText(t, m[2]), colorOfText(t, m[3])}
	}
	return found
}

func TestTextContrastOnLightAndDarkPages(t *testing.T) {
	of := pairs(t)
	of["page"] = [2]shop.Color{lightPage, darkPage}
	for scheme, name := range []string{"light", "dark"} {
		check := func(least float64, words string, grounds ...string) {
			for _, ground := range grounds {
				if c := of[words][scheme].Contrast(of[ground][scheme]); c < least {
					t.Errorf("%s: %s on %s has %.2f to 1, below %.1f", name, words, ground, c, least)
				}
			}
		}
		for _, words := range []string{"ink", "soft", "text", "accent", "accent-deep", "good", "warn", "bad"} {
			check(4.5, words, "page", "paper", "tint", "tint-2")
		}
		check(4.5, "on", "fill", "fill-deep")
		for _, words := range []string{"good", "bad", "ink"} { // on mixtures with themselves or the accent
			for _, ground := range []string{"good", "bad", "accent"} {
				mixed := of["page"][scheme].Mix(of[ground][scheme], 0.12)
				if c := of[words][scheme].Contrast(mixed); c < 4.5 && (words == ground || words == "ink") {
					t.Errorf("%s: %s on a little %s has %.2f to 1", name, words, ground, c)
				}
			}
		}
		check(3, "rim", "page", "paper", "tint")
		check(3, "star", "page", "tint")
		check(3, "fill", "page")
	}
	if light, dark := of["tint-2"][0], of["tint-2"][1]; light != lightTint || dark != darkTint {
		t.Errorf("the tints are %s and %s, palette.go has %s and %s", light, dark, lightTint, darkTint)
	}
	if !strings.Contains(string(stylesheet), "background: light-dark(#fff, "+darkPage.String()+")") {
		t.Errorf("the dark page of shape.css is not %s", darkPage)
	}
}

// The storefront's own accent is derived like an owner's.
func TestStyleSheetAccentMatchesShadesOf(t *testing.T) {
	of, own := pairs(t), colorOfText(t, "#9c4527")
	s := shadesOf(own, true)
	for name, want := range map[string]shop.Color{"accent": s.accent, "accent-deep": s.deep, "fill": s.fill, "fill-deep": s.fillDeep} {
		if got := of[name][1]; got != want {
			t.Errorf("--%s is %s in the dark scheme, shadesOf returns %s", name, got, want)
		}
	}
	if light := shadesOf(own, false); light.accent != own || light.fill != own || light.on != shop.White || s.on != shop.White {
		t.Errorf("%+v", light)
	}
}

func TestEveryAccentIsReadable(t *testing.T) {
	accents := rapid.Custom(func(t *rapid.T) shop.Color {
		part := rapid.Uint8()
		return shop.Color{R: part.Draw(t, "red"), G: part.Draw(t, "green"), B: part.Draw(t, "blue")}
	}).Filter(func(c shop.Color) bool { return c.Contrast(shop.White) >= shop.MinAccent }) // the settings refuse others
	rapid.Check(t, func(t *rapid.T) {
		c := accents.Draw(t, "accent")
		for _, dark := range []bool{false, true} {
			page, tint := lightPage, lightTint
			if dark {
				page, tint = darkPage, darkTint
			}
			s := shadesOf(c, dark)
			switch {
			case s.accent.Contrast(tint) < 4.5, s.accent.Contrast(page) < 4.5, s.deep.Contrast(tint) < 4.5:
				t.Fatalf("%s, dark %t: text in %s has too little contrast", c, dark, s.accent)
			case s.fill.Contrast(s.on) < 4.5, s.fillDeep.Contrast(s.on) < 4.5:
				t.Fatalf("%s, dark %t: %s on %s", c, dark, s.on, s.fill)
			case s.fill.Contrast(page) < shop.MinAccent:
				t.Fatalf("%s, dark %t: fill %s has too little contrast", c, dark, s.fill)
			case !dark && s.fill != c:
				t.Fatalf("%s became %s on the light page", c, s.fill)
			}
		}
	})
}

// Text on the accent has its matching colour: white text on the accent of a dark page would
// be unreadable.
func TestTextOnTheAccentHasItsMatchingColour(t *testing.T) {
	for _, rule := range regexp.MustCompile(`\{[^{}]*\}`).FindAllString(cssRules(), -1) {
		if strings.Contains(rule, "background: var(--accent)") && strings.Contains(rule, "color: #") {
			t.Errorf("text on --accent: use --fill and --on in %s", rule)
		}
		if strings.Contains(rule, "background: #fff") && !strings.Contains(rule, "object-fit") && rule != "{ background: #fff }" {
			t.Errorf("a background that is white in the dark scheme too: use --paper in %s", rule)
		}
	}
}

func TestOwnersLookIsInTheStorefrontLayers(t *testing.T) {
	radius := 3
	page := fixture()["listing"].(*Listing)
	page.Shop.Face.Look = shop.Look{Accent: "#0057b7", Radius: &radius, Text: "humanist", Heading: "serif"}
	drawn := string(bytesOf(t, page))
	_, rest, _ := strings.Cut(drawn, `href="`+packed().style.Path)
	_, rest, found := strings.Cut(rest, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	if !found || !strings.HasPrefix(style, "@layer base,storefront;@layer storefront{") {
		t.Fatalf("after the style sheet is %q", style)
	}
	for _, part := range []string{"--fill:#0057b7;", "--fill:light-dark(#0057b7,", "--radius:3px;--round:3px", "Seravek", "Charter", ".v-wrap:not(.v-boxed)"} {
		if !strings.Contains(style, part) {
			t.Errorf("%s is missing in %s", part, style)
		}
	}
	if plain := string(bytesOf(t, fixture()["listing"])); strings.Contains(plain, "<style>") {
		t.Error("a shop without a look has its own style")
	}
}

func TestLookCannotInjectMarkup(t *testing.T) {
	far := 4000
	for _, look := range []shop.Look{
		{Accent: "red}body{display:none", Text: "x", Heading: `serif";}`, Scheme: `"><script>`}, {Accent: "#12345", Radius: &far}, {Accent: "url(//evil)"},
	} {
		page := fixture()["home"].(*Home)
		page.Shop.Face.Look = look
		drawn := string(bytesOf(t, page))
		if strings.Contains(drawn, "<style>") || !strings.Contains(drawn, `<html lang="en" data-v-scheme="">`) {
			t.Errorf("%+v: %.900s", look, drawn)
		}
	}
}

func TestColoursRoundTrip(t *testing.T) {
	for text, want := range map[string]string{"#FFF": "#ffffff", "#0aF": "#00aaff", "#9c4527": "#9c4527"} {
		if c, ok := shop.ParseColor(text); !ok || c.String() != want {
			t.Errorf("%s is %s", text, c)
		}
	}
	for _, text := range []string{"", "#", "fff", "#ffff", "#ggg", "#+12", "#12345g", "#1234567", "rgb(0,0,0)", "#ff\u0000"} {
		if c, ok := shop.ParseColor(text); ok {
			t.Errorf("%q is read as %s", text, c)
		}
	}
}
