package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// moved runs a write that gives a category another parent. It is a move of the
// category, so rules over its pages must not run in a circle through the new
// addresses (document 3, 4.5). A draft has no rules: they meet it when it is
// published.
func (c *Catalog) moved(ctx context.Context, call *api.Call, tx *store.Tx, write func() error) error {
	if call.Contour == shop.Dev {
		return write()
	}
	if _, err := tx.LockRules(ctx); err != nil {
		return err
	}
	rules, err := tx.HasRules(ctx)
	if err != nil {
		return err
	}
	if !rules {
		return write()
	}
	before, err := c.sites.Current(ctx, tx.Reader)
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	after, err := c.sites.After(ctx, tx.Reader, before, shop.Key{Kind: shop.KeyCategories})
	if err != nil {
		return err
	}
	return after.CheckLoops(before.Site)
}
