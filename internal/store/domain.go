package store

import (
	"context"

	"vitrine/internal/shop"
)

// A domain is connected by a word of the operator and leads here by its DNS, which may
// come days later or never. A shop whose pages all led to a domain that nobody reaches
// would be closed, so the address of its slug stays the canonical one until a request
// for the domain has come to an edge.

// ConnectDomain connects the shop's one custom domain, or removes it when empty. The
// shop moves there with DomainReached.
func (tx *Tx) ConnectDomain(ctx context.Context, domain string) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	var same bool
	err := tx.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM company_domain WHERE company_id = $1 AND domain = $2)`, tx.Company, domain).Scan(&same)
	if err != nil || same { // one that has been reached stays so
		return err
	}
	if _, err := tx.q.Exec(ctx, `DELETE FROM company_domain WHERE company_id = $1`, tx.Company); err != nil || domain == "" {
		return err
	}
	_, err = tx.q.Exec(ctx, `INSERT INTO company_domain (company_id, domain) VALUES ($1, $2)`, tx.Company, domain)
	if uniqueViolation(err, "company_domain_host") {
		return ErrDomainTaken.At("domain").With(domain)
	}
	return err
}

// DomainReached makes the shop's domain its canonical host.
func (tx *Tx) DomainReached(ctx context.Context) error {
	tag, err := tx.q.Exec(ctx, `UPDATE company_domain SET reached_at = now() WHERE company_id = $1 AND reached_at IS NULL`, tx.Company)
	if tag.RowsAffected() > 0 {
		tx.Changed(shop.Key{Kind: shop.KeyShop})
	}
	return err
}

// SetDomain connects a domain that is known to lead here.
func (tx *Tx) SetDomain(ctx context.Context, domain string) error {
	if err := tx.ConnectDomain(ctx, domain); err != nil {
		return err
	}
	return tx.DomainReached(ctx)
}
