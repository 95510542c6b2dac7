package setting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

// checkLook requires an accent that is visible on a white page. There is no requirement for text
// on it, which is black or white, whichever has the higher contrast. Where the accent is used as
// a text colour, and in the dark scheme, pages move it towards black or white as far as needed.
func checkLook(s *company.Settings) string {
	l := &s.Look
	if l.Accent != "" {
		accent, ok := shop.ParseColor(l.Accent)
		if !ok {
			return "look.accent must be a colour such as #9c4527, or empty"
		}
		if c := accent.Contrast(shop.White); c < shop.MinAccent {
			return fmt.Sprintf("look.accent: %s has a contrast of %.2f to 1 to the white page, but at least %d to 1 is required: use a darker colour",
				accent, c, shop.MinAccent)
		}
		l.Accent = accent.String()
	}
	if l.Radius != nil && (*l.Radius < 0 || *l.Radius > shop.MaxRadius) {
		return "look.radius must be 0 to " + strconv.Itoa(shop.MaxRadius) + ", or null"
	}
	for name, font := range map[string]shop.Font{"text_font": l.Text, "heading_font": l.Heading} {
		if _, known := shop.Fonts[font]; font != "" && !known {
			return "look." + name + " must be one of " + strings.Join(font.Values(), ", ") + ", or empty"
		}
	}
	if l.Scheme != "" && !slices.Contains(shop.Schemes, l.Scheme) {
		return "look.color_scheme must be one of " + shop.Words(shop.Schemes)
	}
	return ""
}
