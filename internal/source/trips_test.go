package source_test

import (
	"context"
	"testing"

	"vitrine/compile"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
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
func TestAColdProductPageTakesSixRoundTrips(t *testing.T) {
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
	trips, statements := counter.TakeTrips(), counter.Take()
	page := c.Page.(*render.ProductPage)
	if len(page.Product.Variants) != 1 || len(page.Product.Groups) != 1 || len(page.Related) != 2 || len(page.Product.Gallery) == 0 {
		t.Fatalf("the page lacks something: %+v", page)
	}
	if trips > 6 {
		t.Errorf("%d round trips", trips)
		for _, s := range statements {
			t.Log(s.SQL)
		}
	}
}
