package company

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// A shop names a domain, and any shop may name any domain. The domain becomes the shop's
// address only after its DNS points to the shop, never because of a request: a shop whose
// pages redirected to a domain that does not lead here would be unreachable. While the
// verification is pending the shop keeps its address, so a shop has at most two rows: the
// active domain, and the one that will replace it.

// Domain is a domain that a shop has named.
type Domain struct {
	Company     shop.CompanyID
	Name        string
	Active      bool
	RequestedAt time.Time // start of the verification
	CheckedAt   time.Time // time of the last check; zero: not checked yet
	Seen        []string  // types of the DNS records found by the last check
	Problem     string    // why these do not suffice

	// With certificates of an authority a domain is proven first and becomes active when it has one.
	Proven      bool
	CertUntil   time.Time // end of the certificate; zero: none
	CertProblem string    // why the last attempt to get one failed
}

const domainColumns = `company_id, domain, active_at IS NOT NULL, asked_at, coalesce(looked_at, 'epoch'), seen, fault,
	proven_at IS NOT NULL, coalesce(cert_until, 'epoch'), cert_fault`

func scanDomain(row pgx.CollectableRow) (d Domain, err error) {
	err = row.Scan(&d.Company, &d.Name, &d.Active, &d.RequestedAt, &d.CheckedAt, &d.Seen, &d.Problem, &d.Proven, &d.CertUntil, &d.CertProblem)
	if d.CertUntil.Unix() == 0 {
		d.CertUntil = time.Time{}
	}
	return d, err
}

// GetDomain reads the domain that the shop named last, pending or active.
func GetDomain(ctx context.Context, r store.Reader) (d Domain, found bool, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+domainColumns+` FROM company_domain WHERE company_id = $1 ORDER BY active_at IS NOT NULL, domain LIMIT 1`, r.Company)
	if err != nil {
		return d, false, err
	}
	d, err = pgx.CollectOneRow(rows, scanDomain)
	if store.NoRow(err) {
		return d, false, nil
	}
	return d, err == nil, err
}

// ShopDomains reads all domains of the shop.
func ShopDomains(ctx context.Context, r store.Reader) ([]Domain, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+domainColumns+` FROM company_domain WHERE company_id = $1`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanDomain)
}

// ConnectDomain names a domain, replacing one that is still pending. Checks of a domain
// named before since start again.
func ConnectDomain(ctx context.Context, tx *store.Tx, domain string, now, since time.Time) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	if _, err := tx.DB.Exec(ctx, `DELETE FROM company_domain WHERE company_id = $1 AND domain <> $2 AND active_at IS NULL`, tx.Company, domain); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO company_domain AS d (company_id, domain, asked_at, look_at) VALUES ($1, $2, $3, $3)
		ON CONFLICT (company_id, domain) DO UPDATE SET asked_at = $3, look_at = $3, fault = '', proven_at = NULL, cert_at = $3, cert_fault = '' WHERE d.active_at IS NULL AND d.asked_at <= $4`,
		tx.Company, domain, now, since)
	return err
}

// RemoveDomain returns the shop to the address of its slug.
func RemoveDomain(ctx context.Context, tx *store.Tx) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `DELETE FROM company_domain WHERE company_id = $1`, tx.Company)
	return err
}

// ActivateDomain makes a named domain the shop's address. It returns ErrDomainTaken while
// another shop uses the domain.
func ActivateDomain(ctx context.Context, tx *store.Tx, domain string, now time.Time) error {
	tag, err := tx.DB.Exec(ctx, `UPDATE company_domain SET active_at = $3, fault = '' WHERE company_id = $1 AND domain = $2 AND active_at IS NULL`, tx.Company, domain, now)
	if store.UniqueViolation(err, "company_domain_active") {
		return ErrDomainTaken.At("domain").With(domain)
	}
	if err != nil || tag.RowsAffected() == 0 { // already active, or no longer named
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err = tx.DB.Exec(ctx, `DELETE FROM company_domain WHERE company_id = $1 AND domain <> $2`, tx.Company, domain)
	return err
}

// SetDomain makes a domain the shop's address without verification.
func SetDomain(ctx context.Context, tx *store.Tx, domain string, now time.Time) error {
	if err := ConnectDomain(ctx, tx, domain, now, now); err != nil {
		return err
	}
	return ActivateDomain(ctx, tx, domain, now)
}

// DeactivateDomain removes a domain from the shop when its DNS no longer points to the shop: the
// shop is reachable at its slug again, and the domain must be verified again.
func DeactivateDomain(ctx context.Context, tx *store.Tx, domain string, now time.Time) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `UPDATE company_domain SET active_at = NULL, proven_at = NULL, asked_at = $3, look_at = $3, seen = '{}' WHERE company_id = $1 AND domain = $2`, tx.Company, domain, now)
	return err
}

// LeaseDomainCheck reports whether the shop's domain may be checked now: not when it was
// checked after since. A later caller gets false.
func LeaseDomainCheck(ctx context.Context, s *store.Store, d Domain, now, since time.Time) (free bool, err error) {
	tag, err := s.Pool.Exec(ctx, `UPDATE company_domain SET looked_at = $3 WHERE company_id = $1 AND domain = $2 AND (looked_at IS NULL OR looked_at <= $4)`, d.Company, d.Name, now, since)
	return tag.RowsAffected() > 0, err
}

// RecordDomainCheck stores the result of a check.
func RecordDomainCheck(ctx context.Context, s *store.Store, d Domain) error {
	if d.Seen == nil {
		d.Seen = []string{}
	}
	_, err := s.Pool.Exec(ctx, `UPDATE company_domain SET seen = $3, fault = $4 WHERE company_id = $1 AND domain = $2`, d.Company, d.Name, d.Seen, d.Problem)
	return err
}

// DueDomains leases up to limit pending domains that are due for a check. Domains named
// after quick are checked again after soon, older ones after later, and those named before
// since not at all.
func DueDomains(ctx context.Context, s *store.Store, now, since, quick time.Time, soon, later time.Duration, limit int) ([]Domain, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE company_domain SET looked_at = $1, look_at = $1 + CASE WHEN asked_at > $3 THEN $4::interval ELSE $5::interval END
		WHERE (company_id, domain) IN (
			SELECT company_id, domain FROM company_domain WHERE active_at IS NULL AND proven_at IS NULL AND look_at <= $1 AND asked_at > $2
				AND `+store.LiveShop("company_id")+` AND `+store.NotMoving("company_id")+`
			ORDER BY look_at LIMIT $6 FOR UPDATE SKIP LOCKED)
		RETURNING `+domainColumns, now, since, quick, soon, later, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanDomain)
}

// DomainRivals returns the other shop where a domain is active, 0 for none, and reports
// whether any other shop has it active or still being verified.
func DomainRivals(ctx context.Context, s *store.Store, d Domain, since time.Time) (holder shop.CompanyID, named bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT coalesce(max(company_id) FILTER (WHERE active_at IS NOT NULL), 0), count(*) > 0 FROM company_domain
		WHERE company_id <> $1 AND domain = $2 AND (active_at IS NOT NULL OR asked_at > $3)`, d.Company, d.Name, since).Scan(&holder, &named)
	return holder, named, err
}
