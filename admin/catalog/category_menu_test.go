package catalog

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// A section of a menu is a categoryView of which only some fields are filled.
func TestASectionOfAMenuIsWrittenAsAView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "Чай", `<b>"tea"</b> & \ `, "a\u2028b\u2029", "\x00\t\n\r\b\f\x1f\x7f", "\xff", "👩‍👧 שלום"}))
		c := catalog.MenuCategory{
			ID: shop.CategoryID(rapid.Int32().Draw(t, "id")), Parent: shop.CategoryID(rapid.Int32().Draw(t, "parent")),
			Type: rapid.SampledFrom([]string{"product", "page", "news", "site"}).Draw(t, "type"), Name: text.Draw(t, "name"),
			Slug: rapid.StringMatching(`[a-z][a-z0-9_-]{0,20}`).Draw(t, "slug"), Order: rapid.Int().Draw(t, "order"),
			IsPublished: rapid.Bool().Draw(t, "published"), IsShowMenu: rapid.Bool().Draw(t, "menu"), IsHome: rapid.Bool().Draw(t, "home"), IsDeleted: rapid.Bool().Draw(t, "deleted"),
			PreviewPath: rapid.SampledFrom([]string{"", "1/a.jpg", "1/чай & mint.jpg"}).Draw(t, "preview"), CountArticles: rapid.Int().Draw(t, "articles"),
			Sidebar: []byte(rapid.SampledFrom([]string{`[]`, `[{"type": "menu", "title": "<b> \u2028 é"}, {}]`}).Draw(t, "sidebar")),
		}
		view := categoryView{
			ID: c.ID, ParentID: shop.CategoryRef(c.Parent), Name: c.Name, Type: compile.CategoryType(c.Type), SEO: catalog.SEO{Slug: c.Slug}, Order: c.Order,
			IsPublished: c.IsPublished, IsShowMenu: c.IsShowMenu, IsHome: c.IsHome, IsDeleted: c.IsDeleted, CountArticles: c.CountArticles,
			GalleryIDs: []shop.GalleryID{}, SidebarConfig: shop.Objects(c.Sidebar),
		}
		if c.PreviewPath != "" {
			view.Preview = &fileView{URL: shop.FileURL(c.PreviewPath)}
		}
		var want, got bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(view); err != nil {
			t.Fatal(err)
		}
		if err := writeMenu(&got, c); err != nil {
			t.Fatal(err)
		}
		if got.WriteByte('\n'); got.String() != want.String() {
			t.Fatalf("%s, want %s", &got, &want)
		}
	})
}
