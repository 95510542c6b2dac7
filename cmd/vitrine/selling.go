package main

import (
	"context"

	"vitrine/admin/access"
	"vitrine/internal/store"
)

type shopBlockCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
}

// Run blocks the shop.
func (c *shopBlockCmd) Run(ctx context.Context, s *Settings) error {
	return setBlocked(ctx, s, c.Shop, true)
}

type shopUnblockCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
}

// Run unblocks the shop.
func (c *shopUnblockCmd) Run(ctx context.Context, s *Settings) error {
	return setBlocked(ctx, s, c.Shop, false)
}

func setBlocked(ctx context.Context, s *Settings, slug string, blocked bool) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := o.change(ctx, slug, func(tx *store.Tx) error { return tx.SetBlocked(ctx, blocked) })
		return map[string]any{"company_id": company.ID, "slug": slug, "blocked": blocked}, err
	})
}

type shopCurrencyCmd struct {
	Shop     string `required:"" help:"Slug of the shop."`
	Currency string `required:"" help:"ISO code, such as EUR."`
}

// Run changes the currency.
func (c *shopCurrencyCmd) Run(ctx context.Context, s *Settings) error {
	if err := access.CheckCurrency(c.Currency); err != nil {
		return err
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := o.change(ctx, c.Shop, func(tx *store.Tx) error { return tx.SetCurrency(ctx, c.Currency) })
		return map[string]any{"company_id": company.ID, "slug": c.Shop, "currency": c.Currency}, err
	})
}
