package source_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/compile"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
	"vitrine/internal/store/media"
	"vitrine/internal/store/storetest"
	"vitrine/render"
)

// counted is a source whose round trips are counted.
func (h *testShop) counted() (*source.Source, *storetest.Counter) {
	h.Helper()
	counter := &storetest.Counter{}
	traced, err := store.Open(h.Context(), h.url, store.Traced(counter))
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(traced.Close)
	blobs, err := blob.OpenDir(storetest.Dir(h))
	if err != nil {
		h.Fatal(err)
	}
	hosts, err := shop.ParseStorefronts("http://{shop}.localhost:8080")
	if err != nil {
		h.Fatal(err)
	}
	return source.New(traced, blobs, hosts), counter
}

// A page with everything that a product may have: a set of variants with galleries, linked
// galleries, a group, reviews, neighbours, and a designed header, footer and layout.
func TestAColdProductPageTakesFiveRoundTrips(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	section := h.category("teas", 0, "product")
	id := h.product("tea", section)
	others := []shop.ProductID{h.product("green", section), h.product("black", section)}
	own, shared := h.album("own", h.picture("a.png"), h.picture("b.png")), h.album("shared", h.picture("c.png"))
	h.link(store.EntityProduct, int64(id), own)
	h.link(store.EntityProduct, int64(others[0]), shared)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		price := int64(500)
		if err := catalog.SetVariants(ctx, tx, id, []catalog.Variant{{SKU: "S", Price: &price, GalleryID: shared, IsActive: true, Options: map[string]string{}}}); err != nil {
			return err
		}
		return catalog.InsertProductGroup(ctx, tx, &catalog.ProductGroup{Name: "Leaves", Products: append([]shop.ProductID{id}, others...)})
	})
	header := h.block("header", "text", `{"text":"Hello"}`) // and the layout has no folder
	h.bind("shop", 0, map[string]shop.BlockID{"header": header})
	reader, counter := h.counted()
	site, _ := h.site()
	counter.TakeTrips()
	c, err := reader.Content(t.Context(), site, render.PageRequest{Page: compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)}, Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	page := c.Page.(*render.ProductPage)
	if len(page.Product.Variants) != 1 || len(page.Product.Groups) != 1 || len(page.Related) != 2 || len(page.Product.Gallery) == 0 {
		t.Fatalf("the page lacks something: %+v", page)
	}
	h.atMost(5, counter)
}

// atMost checks the number of round trips since the last one that was counted.
func (h *testShop) atMost(want int, counter *storetest.Counter) {
	h.Helper()
	statements := counter.Take()
	if trips := counter.TakeTrips(); trips > want {
		h.Errorf("%d round trips, want at most %d", trips, want)
		for _, s := range statements {
			h.Logf("%d: %s", s.Trip, s.SQL)
		}
	}
}

// The sections of a shop show, all on one page: filters and an order, products with variants,
// sets, covers from galleries, sections above and below with pictures, and blocks with pictures
// and articles. Each page is read after an edit of a product, which the lists have to follow.
func TestAColdSectionTakesSevenRoundTrips(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	plain := h.category("cups", 0, "product")
	cup := h.product("cup", plain)
	h.product("saucer", plain)
	root := h.category("drinks", 0, "product")
	section := h.category("teas", root, "product")
	below := h.category("green", section, "product")
	h.category("black", section, "product")
	album := h.album("album", h.picture("a.png"), h.picture("b.png"))
	h.link(store.EntityCategory, int64(section), album)
	h.link(store.EntityCategory, int64(below), album)
	colour := catalog.Attribute{Name: "Colour", Kind: catalog.AttributeOption, Filterable: true, Options: []catalog.Option{{Value: "light", Label: "Light"}, {Value: "dark", Label: "Dark"}}}
	h.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertAttribute(ctx, tx, &colour) })
	h.write(func(ctx context.Context, tx *store.Tx) (err error) {
		colour, err = catalog.LockAttribute(ctx, tx, colour.ID)
		return err
	})
	h.write(func(ctx context.Context, tx *store.Tx) error {
		for i := range 60 {
			p := &catalog.Product{
				Kind: "standard", Name: fmt.Sprint("Tea ", i), Category: below, SEO: catalog.SEO{Slug: fmt.Sprint("tea-", i)}, Price: int64(100 + i), IsPublished: true, Tags: []string{},
				Attributes: []catalog.ProductAttribute{{Attribute: colour.ID, Options: []catalog.OptionID{colour.Options[min(i, 1)].ID}}},
			}
			if i%2 == 1 {
				p.Set = []catalog.SetComponent{{Product: cup, Quantity: 2}}
			}
			if err := catalog.InsertProduct(ctx, tx, p, true, 0); err != nil {
				return err
			}
			if err := media.LinkGalleries(ctx, tx, store.EntityProduct, map[int64][]shop.GalleryID{int64(p.ID): {album}}); err != nil {
				return err
			}
			price := int64(500)
			if err := catalog.SetVariants(ctx, tx, p.ID, []catalog.Variant{{SKU: p.SEO.Slug, Price: &price, IsActive: true, Options: map[string]string{}}}); err != nil {
				return err
			}
		}
		return nil
	})
	h.article("harvest", h.category("news", 0, "news"))
	photo := h.picture("c.png")
	items := fmt.Sprintf(`[{"title":"A","image_id":%q},{"title":"B","image_id":%q}]`, photo.ID, photo.ID)
	words, slides := h.block("", "text", `{"text":"Picked by hand"}`), h.section("slideshow", `{}`, items)
	news := h.section("articleListing", `{"articles":{"limit":3}}`, `[]`)
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(section), []designdb.Attachment{{BlockID: words}, {BlockID: slides.ID}, {BlockID: news.ID}})
	})
	h.bind("shop", 0, map[string]shop.BlockID{"header": h.block("header", "group", fmt.Sprintf(`{"widgets":[%d]}`, h.block("", "text", `{"text":"Hello"}`)))})

	reader, counter := h.counted()
	read := func(id shop.CategoryID, number int, query string) *render.Listing {
		t.Helper()
		site, _ := h.site()
		counter.TakeTrips()
		counter.Take()
		c, err := reader.Content(t.Context(), site, render.PageRequest{
			Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(id)}, Number: number, Narrow: render.ReadNarrowing(query),
		})
		if err != nil {
			t.Fatal(err)
		}
		return c.Page.(*render.Listing)
	}
	read(plain, 1, "") // the first list of a shop after a start loads all its products
	for _, c := range []struct {
		name    string
		section shop.CategoryID
		number  int
		query   string
		shows   func(l *render.Listing) bool
	}{
		{"plain", plain, 1, "", func(l *render.Listing) bool { return len(l.Products) == 2 }},
		{"everything", section, 1, "", func(l *render.Listing) bool {
			body := l.Layout.Body
			return len(l.Products) == 24 && l.Products[23].Image.Path != "" && l.Products[1].Price > 0 && len(l.Sections) == 2 && len(l.Crumbs) == 2 &&
				len(body) == 3 && body[1].Widget.Items[1].Image.Path != "" && len(body[2].Widget.Articles) == 1 && len(l.Layout.Header) == 1
		}},
		{"narrowed", section, 2, fmt.Sprintf("a%d=dark&sort=-price", colour.ID), func(l *render.Listing) bool {
			return l.Total == 59 && len(l.Products) == 24 && l.Paging.Current == 2 && len(l.Finder.Facets) == 1
		}},
	} {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			old, err := catalog.LockProduct(ctx, tx, cup)
			if err != nil {
				return err
			}
			edited := old
			edited.Price++
			return catalog.UpdateProduct(ctx, tx, old, edited)
		})
		if l := read(c.section, c.number, c.query); !c.shows(l) {
			t.Errorf("%s: the page lacks something: %+v", c.name, l)
		}
		h.atMost(7, counter)
	}
}
