package store_test

import (
	"context"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

func TestADraftShadowsTheLiveShop(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	live, draft := t.Context(), store.InDraft(t.Context(), id)
	tea := category("tea")
	tea.IsHome = true
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return tx.InsertCategory(ctx, tea, true) })
	p := store.Product{
		Kind: "standard", Name: "Green", SEO: store.SEO{Slug: "green"}, Tags: []string{}, Category: tea.ID,
		Extra: []shop.CategoryID{tea.ID}, Price: 5,
	}
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error { return tx.InsertProduct(ctx, &p, true, 0) })

	if err := s.Write(draft, id, func(tx *store.Tx) error {
		old, err := tx.LockProduct(draft, p.ID)
		if err != nil {
			return err
		}
		next := old
		next.Name, next.SEO.Slug = "Black", "black"
		if err := tx.UpdateProduct(draft, old, next); err != nil {
			return err
		}
		mint := store.Product{Kind: "standard", Name: "Mint", SEO: store.SEO{Slug: "black"}, Tags: []string{}, Category: tea.ID}
		if err := tx.InsertProduct(draft, &mint, false, 0); err != nil {
			return err
		}
		if mint.SEO.Slug != "black-2" {
			t.Errorf("slug %s", mint.SEO.Slug)
		}
		cups := category("cups")
		cups.IsHome = true
		if err := tx.InsertCategory(draft, cups, true); err != nil {
			return err
		}
		return tx.DeleteCategory(draft, tea.ID)
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ctx        context.Context
		products   int
		name       string
		categories int
	}{{live, 1, "Green", 1}, {draft, 2, "Black", 1}} {
		got, err := s.Shop(id).Product(c.ctx, p.ID)
		if err != nil || got.Name != c.name || len(got.Extra) != 1 {
			t.Errorf("%+v %v", got, err)
		}
		total, err := s.Shop(id).CountProducts(c.ctx, store.ProductFilter{})
		if err != nil || total != c.products {
			t.Errorf("%d products, %v", total, err)
		}
		list, err := s.Shop(id).Categories(c.ctx, false)
		if err != nil || len(list) != c.categories {
			t.Errorf("%v %v", list, err)
		}
	}
}
