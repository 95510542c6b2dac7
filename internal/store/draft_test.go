package store_test

import (
	"context"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

func TestADraftOverlaysTheLiveShop(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	live, draft := t.Context(), store.InDraft(t.Context(), id)
	tea := category("tea")
	tea.IsHome = true
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return catalog.InsertCategory(ctx, tx, tea, true) })
	p := catalog.Product{
		Kind: "standard", Name: "Green", SEO: catalog.SEO{Slug: "green"}, Tags: []string{}, Category: tea.ID,
		Extra: []shop.CategoryID{tea.ID}, Price: 5,
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return catalog.InsertProduct(ctx, tx, &p, true, 0) })

	if err := s.Write(draft, id, func(tx *store.Tx) error {
		old, err := catalog.LockProduct(draft, tx, p.ID)
		if err != nil {
			return err
		}
		next := old
		next.Name, next.SEO.Slug = "Black", "black"
		if err := catalog.UpdateProduct(draft, tx, old, next); err != nil {
			return err
		}
		mint := catalog.Product{Kind: "standard", Name: "Mint", SEO: catalog.SEO{Slug: "black"}, Tags: []string{}, Category: tea.ID}
		if err := catalog.InsertProduct(draft, tx, &mint, false, 0); err != nil {
			return err
		}
		if mint.SEO.Slug != "black-2" {
			t.Errorf("slug %s", mint.SEO.Slug)
		}
		cups := category("cups")
		cups.IsHome = true
		if err := catalog.InsertCategory(draft, tx, cups, true); err != nil {
			return err
		}
		return catalog.DeleteCategory(draft, tx, tea.ID)
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ctx        context.Context
		products   int
		name       string
		categories int
	}{{live, 1, "Green", 1}, {draft, 2, "Black", 1}} {
		got, err := catalog.GetProduct(c.ctx, s.Shop(id), p.ID)
		if err != nil || got.Name != c.name || len(got.Extra) != 1 {
			t.Errorf("%+v %v", got, err)
		}
		products, err := catalog.Products(c.ctx, s.Shop(id), catalog.ProductFilter{Number: 1, Limit: 10})
		if err != nil || len(products) != c.products {
			t.Errorf("%d products, %v", len(products), err)
		}
		list, err := catalog.Categories(c.ctx, s.Shop(id), false)
		if err != nil || len(list) != c.categories {
			t.Errorf("%v %v", list, err)
		}
	}
}
