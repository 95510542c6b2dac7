package main

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
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
		company, err := o.change(ctx, slug, func(tx *store.Tx) error { return companydb.SetBlocked(ctx, tx, blocked) })
		return map[string]any{"company_id": company.ID, "slug": slug, "blocked": blocked}, err
	})
}

type shopCurrencyCmd struct {
	Shop     string `required:"" help:"Slug of the shop."`
	Currency string `required:"" help:"ISO code, such as EUR."`
}

// Run changes the currency, and reports the payment methods that were switched off because of
// it.
func (c *shopCurrencyCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		off, err := o.shops.ChangeCurrency(ctx, company.ID, c.Currency)
		answer := map[string]any{"company_id": company.ID, "slug": c.Shop, "currency": c.Currency, "payment_methods_off": off}
		if len(off) > 0 {
			answer["note"] = fmt.Sprintf("%s cannot charge %s, so buyers are no longer offered it", strings.Join(off, " and "), c.Currency)
		}
		return answer, err
	})
}
