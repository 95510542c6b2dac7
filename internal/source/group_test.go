package source_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// A group on a product's page shows only members that visitors may see: neither unpublished
// nor deleted ones, nor those dated in the future, and no group at all where only the
// product itself would be left.
func TestAGroupShowsOnlyVisibleMembers(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	teas := h.category("teas", 0, "product")
	ids := map[string]shop.ProductID{}
	var members []shop.ProductID
	for _, name := range []string{"plain", "other", "hidden", "deleted", "later"} {
		ids[name] = h.product(name, teas)
		members = append(members, ids[name])
	}
	edit := func(name string, change func(p *catalog.Product)) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			old, err := catalog.LockProduct(ctx, tx, ids[name])
			if err != nil {
				return err
			}
			p := old
			change(&p)
			return catalog.UpdateProduct(ctx, tx, old, p)
		})
	}
	h.write(func(ctx context.Context, tx *store.Tx) error {
		return catalog.InsertProductGroup(ctx, tx, &catalog.ProductGroup{Name: "Kinds", Products: members})
	})
	shown := func() string {
		site, _ := h.site()
		c, err := h.page(site, compile.EntityProduct, int64(ids["plain"]), 1)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, g := range c.Page.(*render.ProductPage).Product.Groups {
			for _, s := range g.Products {
				names = append(names, fmt.Sprintf("%s %v", strings.TrimPrefix(s.Name, "The "), s.Current))
			}
		}
		return strings.Join(names, ", ")
	}
	if got, want := shown(), "plain true, other false, hidden false, deleted false, later false"; got != want {
		t.Errorf("at first: %s, want %s", got, want)
	}
	now, tomorrow := time.Now(), time.Now().Add(24*time.Hour)
	edit("hidden", func(p *catalog.Product) { p.IsPublished = false })
	edit("deleted", func(p *catalog.Product) { p.DeletedAt = &now })
	edit("later", func(p *catalog.Product) { p.PublishedAt = &tomorrow })
	if got, want := shown(), "plain true, other false"; got != want {
		t.Errorf("with invisible members: %s, want %s", got, want)
	}
	edit("other", func(p *catalog.Product) { p.IsPublished = false })
	if got := shown(); got != "" {
		t.Errorf("the product alone: %s", got)
	}
}
