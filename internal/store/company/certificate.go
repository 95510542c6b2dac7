package company

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// ProveDomain records that a domain is the shop's and is to get a certificate.
func ProveDomain(ctx context.Context, s *store.Store, d Domain, now time.Time) error {
	_, err := s.Pool.Exec(ctx, `
		UPDATE company_domain SET proven_at = $3, cert_at = $3, cert_fault = '', fault = '' WHERE company_id = $1 AND domain = $2 AND active_at IS NULL AND proven_at IS NULL`,
		d.Company, d.Name, now)
	return err
}

// UnproveDomain returns a domain to the checks of its DNS.
func UnproveDomain(ctx context.Context, s *store.Store, d Domain) error {
	_, err := s.Pool.Exec(ctx, `UPDATE company_domain SET proven_at = NULL, seen = $3, fault = $4 WHERE company_id = $1 AND domain = $2`, d.Company, d.Name, d.Seen, d.Problem)
	return err
}

// DueCertificates leases up to limit domains that are to get a certificate or a new one: active
// ones, and proven ones that were named after since.
func DueCertificates(ctx context.Context, s *store.Store, now, since time.Time, lease time.Duration, limit int) ([]Domain, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE company_domain SET cert_at = $1 + $3::interval
		WHERE (company_id, domain) IN (
			SELECT company_id, domain FROM company_domain WHERE cert_at <= $1 AND (active_at IS NOT NULL OR proven_at IS NOT NULL AND asked_at > $2)
				AND `+store.LiveShop("company_id")+` AND `+store.NotMoving("company_id")+`
			ORDER BY cert_at LIMIT $4 FOR UPDATE SKIP LOCKED)
		RETURNING `+domainColumns, now, since, lease, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanDomain)
}

// RecordCertificate stores the result of an attempt to get a certificate, and when the next one is
// due.
func RecordCertificate(ctx context.Context, s *store.Store, d Domain, next time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE company_domain SET cert_until = $3, cert_fault = $4, cert_at = $5 WHERE company_id = $1 AND domain = $2`,
		d.Company, d.Name, nilIfZero(d.CertUntil), d.CertProblem, next)
	return err
}

func nilIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
