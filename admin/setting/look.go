package setting

import (
	"fmt"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

// checkLook takes an accent that is seen on a white page. Nothing is asked of words
// on it: they are black or white, whichever is seen better. Where it stands for
// words itself, and on the dark page, pages move it towards black or white as far as
// it takes.
func checkLook(s *company.Settings) string {
	l := &s.Look
	if l.Accent != "" {
		accent, ok := shop.ParseColor(l.Accent)
		if !ok {
			return "look.accent is a colour such as #9c4527, or empty"
		}
		if c := accent.Contrast(shop.White); c < shop.MinAccent {
			return fmt.Sprintf("look.accent: %s has a contrast of %.2f to 1 to the white page, at least %d to 1 is needed to see it: take a darker one",
				accent, c, shop.MinAccent)
		}
		l.Accent = accent.String()
	}
	if l.Radius != nil && (*l.Radius < 0 || *l.Radius > shop.MaxRadius) {
		return "look.radius is 0 to " + strconv.Itoa(shop.MaxRadius) + ", or null"
	}
	for name, font := range map[string]shop.Font{"text_font": l.Text, "heading_font": l.Heading} {
		if _, known := shop.Fonts[font]; font != "" && !known {
			return "look." + name + " is one of " + shop.FontNames() + ", or empty"
		}
	}
	switch l.Scheme {
	case "", shop.SchemeAuto, shop.SchemeLight, shop.SchemeDark:
		return ""
	}
	return "look.color_scheme is auto, light or dark"
}
