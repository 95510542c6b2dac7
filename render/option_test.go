package render

import (
	"strings"
	"testing"
)

// A value links to the variant that has it and shares the most other values. If no variant
// has the value with all the others, the picker shows this, also as text.
func TestPickersLinkToTheNearestVariant(t *testing.T) {
	page := fixture()["choices"].(*ProductPage)
	page.Product.Chosen = 2 // Red, large
	doc := draw(t, page)
	want(t, doc, map[string]string{
		".v-picker .v-picker__name [data-v-picked='0']": "Red",
		".v-picker .v-picker__name [data-v-picked='1']": "large",
		".v-pick[title=Blue]@href":                      "/cups/mug?variant=5",
		".v-pick[title=Red]@href":                       "/cups/mug?variant=7",
		".v-pick[title=small]@href":                     "/cups/mug?variant=6",
		".v-pick--amiss#":                               "1",
		".v-pick--amiss@title":                          "Blue",
		"[data-v-amiss]:not([hidden])#":                 "1",
		".v-variants[hidden] input:checked@value":       "7",
		".v-variants input[data-v-at='1 1']@value":      "7",
		".v-pick[aria-current=true]#":                   "2",
		".v-terms#":                                     "2",
	})
	if style, _ := doc.Find(".v-pick[title=Red] .v-pick__look").Attr("style"); !strings.Contains(style, "#aa0000") {
		t.Errorf("the style of the swatch is %q", style)
	}
}

func TestPictureHasItsOwnersAltText(t *testing.T) {
	i := Image{Path: "/files/a.jpg", Alt: "Cup"}
	for place, alts := range map[string][2]string{"card": {"", "A blue cup"}, "gallery": {"Cup", "A blue cup"}, "thumb": {"", ""}, "note 3/4": {"", "A blue cup"}} {
		for n, told := range []string{"", "A blue cup"} {
			i.Told = told
			if got := string(img(place, i, false)); !strings.Contains(got, ` alt="`+alts[n]+`"`) {
				t.Errorf("%s, told %q: %s", place, told, got)
			}
		}
	}
}
