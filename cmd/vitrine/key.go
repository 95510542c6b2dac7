package main

import (
	"context"
	"time"

	"vitrine/admin/access"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

type keyListCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
}

// Run prints the shop's live keys, without their secrets.
func (c *keyListCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		company, err := companydb.CompanyBySlug(ctx, o.db.Store, c.Shop)
		if err != nil {
			return nil, err
		}
		keys, err := people.ActiveKeys(ctx, o.db.Shop(company.ID), time.Now())
		return map[string]any{"company_id": company.ID, "keys": keys}, err
	})
}

type keyRevokeCmd struct {
	Shop string     `required:"" help:"Slug of the shop."`
	ID   shop.KeyID `arg:"" help:"The id shown by key list."`
}

// Run revokes the key immediately.
func (c *keyRevokeCmd) Run(ctx context.Context, s *Settings) error {
	return operate(ctx, s, func(o *operator) (any, error) {
		found := false
		company, err := o.change(ctx, c.Shop, func(tx *store.Tx) (err error) {
			found, err = people.RevokeKey(ctx, tx, 0, c.ID, time.Now())
			return err
		})
		if err == nil && !found {
			err = access.ErrKeyNotFound
		}
		return map[string]any{"company_id": company.ID, "id": c.ID, "revoked": found}, err
	})
}
