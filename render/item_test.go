package render

import (
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vitrine/compile/widget"
)

// itemsOf draws a widget with two entries: one with a picture with its owner's alternative
// text, a title and a link, and one with only a link.
func itemsOf(t *testing.T, kind string) *goquery.Selection {
	t.Helper()
	k, _ := widget.Lookup(kind)
	page := furnished(k, "").(*ArticlePage)
	w := page.Layout.Body[0].Widget
	w.Items = []Item{
		{Values: widget.Values{"title": "One", "url": "/one", "alt": "Leaves in a bowl"}, Image: Image{Path: "/files/a/item.webp", Alt: "One", Told: "Leaves in a bowl"}},
		{Values: widget.Values{"url": "/two"}, Image: Image{Path: "/files/a/item.webp"}},
		{Values: widget.Values{"url": "/three"}},
	}
	return draw(t, page).Find("main")
}

func TestAltTextOfItemsIsPrinted(t *testing.T) {
	for _, kind := range []string{"cards", "reels", "slideshow", "features"} {
		if got := itemsOf(t, kind).Find(`img[alt="Leaves in a bowl"]`).Length(); got != 1 {
			t.Errorf("%s prints it %d times", kind, got)
		}
	}
}

func TestReelWithoutVideoHasNoEmptyLink(t *testing.T) {
	reels := itemsOf(t, "reels").Find(".v-reels__tile")
	for i, want := range []string{"One", "Photo 2", ""} {
		link := reels.Eq(i).Find("a")
		if got := link.AttrOr("aria-label", ""); got != want || (link.Length() == 1) != (want != "") {
			t.Errorf("tile %d: %d links, named %q", i, link.Length(), got)
		}
	}
}

func TestEntriesOfFeaturesAndStepsHaveHeadings(t *testing.T) {
	for kind, class := range map[string]string{"features": "h3.v-features__title", "steps": "h3.v-steps__title"} {
		if got := itemsOf(t, kind).Find(class + ` a[href="/one"]`); got.Length() != 1 || got.Text() != "One" {
			t.Errorf("%s: %d headings", kind, got.Length())
		}
	}
}
