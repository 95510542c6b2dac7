package source_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// createPages creates a page of every kind that owners make, with these search engine fields, and
// returns the pages.
func (h *testShop) createPages(seo catalog.SEO) (pages []compile.PageRef) {
	h.Helper()
	h.write(func(ctx context.Context, tx *store.Tx) error {
		for _, kind := range []string{"product", "news", "page", "home"} {
			seo.Slug = "x-" + kind
			c := &catalog.Category{
				Type: strings.Replace(kind, "home", "page", 1), Name: kind, IsHome: kind == "home", SEO: seo, Sidebar: []byte(`[]`),
				IsPublished: true,
			}
			if err := catalog.InsertCategory(ctx, tx, c, true); err != nil {
				return err
			}
			pages = append(pages, compile.PageRef{Entity: compile.EntityCategory, ID: int64(c.ID)})
			switch kind {
			case "product":
				seo.Slug = "p"
				p := &catalog.Product{Kind: "standard", Name: "P", Category: c.ID, SEO: seo, IsPublished: true, Tags: []string{}}
				if err := catalog.InsertProduct(ctx, tx, p, true, 0); err != nil {
					return err
				}
				pages = append(pages, compile.PageRef{Entity: compile.EntityProduct, ID: int64(p.ID)})
			case "news":
				seo.Slug = "a"
				a := &catalog.Article{Title: "A", Category: c.ID, SEO: seo, IsPublished: true}
				if err := catalog.InsertArticle(ctx, tx, a, true); err != nil {
					return err
				}
				pages = append(pages, compile.PageRef{Entity: compile.EntityArticle, ID: int64(a.ID)})
			}
		}
		return nil
	})
	return pages
}

// A page of any kind shows the picture that its owner chose for sharing, with its address
// on the shop's host and its size; a deleted picture is not shown.
func TestPagesShareTheChosenPicture(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	f := h.picture("share")
	deleted := uuid.New()
	for _, ref := range h.createPages(catalog.SEO{OGImageID: &f.ID, OGImageURL: "https://elsewhere.example/a.jpg"}) {
		site, _ := h.site()
		c, err := h.page(site, ref.Entity, ref.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := render.FrameOf(c.Page).SEO.Image; got.Path != "/files/"+f.Path || got.Width != 640 || got.Height != 480 {
			t.Errorf("%v shares %+v", ref, got)
		}
	}
	h = newTestShop(t)
	for _, ref := range h.createPages(catalog.SEO{OGImageID: &deleted, OGImageURL: "https://elsewhere.example/a.jpg"}) {
		site, _ := h.site()
		c, err := h.page(site, ref.Entity, ref.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := render.FrameOf(c.Page).SEO.Image; got.Path != "https://elsewhere.example/a.jpg" {
			t.Errorf("%v shares %+v without its picture", ref, got)
		}
	}
}

// The sitemap lists a page if and only if the page allows search engines to index it,
// whatever its kind.
func TestTheSitemapMatchesTheNoIndexOfPages(t *testing.T) {
	t.Parallel()
	for _, noIndex := range []bool{false, true} {
		h := newTestShop(t)
		pages := h.createPages(catalog.SEO{NoIndex: noIndex})
		site, _ := h.site()
		listed := map[compile.PageRef]bool{}
		for ref := range site.Indexed() {
			listed[ref] = true
		}
		for _, ref := range pages {
			c, err := h.page(site, ref.Entity, ref.ID, 1)
			if err != nil {
				t.Fatal(err)
			}
			if printed := render.FrameOf(c.Page).SEO.NoIndex; printed != noIndex || listed[ref] == printed {
				t.Errorf("%v: listed %v, prints noindex %v", ref, listed[ref], printed)
			}
		}
	}
}
