package source_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/internal/store"
	"vitrine/render"
)

// dress gives a page of every kind that owners make what it tells search
// engines, and returns them.
func (h *house) dress(seo store.SEO) (pages []compile.PageRef) {
	h.Helper()
	h.write(func(ctx context.Context, tx *store.Tx) error {
		for _, kind := range []string{"product", "news", "page", "home"} {
			seo.Slug = "x-" + kind
			c := &store.Category{
				Type: strings.Replace(kind, "home", "page", 1), Name: kind, IsHome: kind == "home", SEO: seo, Sidebar: []byte(`[]`),
				IsPublished: true,
			}
			if err := tx.InsertCategory(ctx, c, true); err != nil {
				return err
			}
			pages = append(pages, compile.PageRef{Entity: compile.EntityCategory, ID: int64(c.ID)})
			switch kind {
			case "product":
				seo.Slug = "p"
				p := &store.Product{Kind: "standard", Name: "P", Category: c.ID, SEO: seo, IsPublished: true, Tags: []string{}}
				if err := tx.InsertProduct(ctx, p, true, 0); err != nil {
					return err
				}
				pages = append(pages, compile.PageRef{Entity: compile.EntityProduct, ID: int64(p.ID)})
			case "news":
				seo.Slug = "a"
				a := &store.Article{Title: "A", Category: c.ID, SEO: seo, IsPublished: true}
				if err := tx.InsertArticle(ctx, a, true); err != nil {
					return err
				}
				pages = append(pages, compile.PageRef{Entity: compile.EntityArticle, ID: int64(a.ID)})
			}
		}
		return nil
	})
	return pages
}

// A page of any kind shows the picture that its owner chose for sharing, at its
// address on the shop's host and with its size; one that is gone it does not.
func TestPagesShareTheChosenPicture(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	f := h.picture("share")
	gone := uuid.New()
	for _, ref := range h.dress(store.SEO{OGImageID: &f.ID, OGImageURL: "https://elsewhere.example/a.jpg"}) {
		site, _ := h.site()
		c, err := h.page(site, ref.Entity, ref.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := render.FrameOf(c.Page).SEO.Image; got.Path != "/files/"+f.Path || got.Width != 640 || got.Height != 480 {
			t.Errorf("%v shares %+v", ref, got)
		}
	}
	h = newHouse(t)
	for _, ref := range h.dress(store.SEO{OGImageID: &gone, OGImageURL: "https://elsewhere.example/a.jpg"}) {
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

// The sitemap has a page if and only if what the page prints lets search engines
// in, whatever its kind.
func TestTheSitemapHasWhatPagesLetIn(t *testing.T) {
	t.Parallel()
	for _, away := range []bool{false, true} {
		h := newHouse(t)
		pages := h.dress(store.SEO{NoIndex: away})
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
			if printed := render.FrameOf(c.Page).SEO.NoIndex; printed != away || listed[ref] == printed {
				t.Errorf("%v: listed %v, prints noindex %v", ref, listed[ref], printed)
			}
		}
	}
}
