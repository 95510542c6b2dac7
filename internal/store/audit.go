package store

import (
	"context"
	"time"

	"vitrine/internal/shop"
)

// auditRetention is the retention of the audit log.
const auditRetention = 90 * 24 * time.Hour

// AuditEntry records who changed what with which key. It never holds a body or a secret.
type AuditEntry struct {
	ID        shop.Int64        `json:"id"`
	Company   shop.CompanyID    `json:"-"`
	At        time.Time         `json:"at"`
	Person    shop.UserID       `json:"user_id"`
	Key       shop.KeyID        `json:"key_id"` // 0: by a session
	Method    string            `json:"method"`
	Path      string            `json:"path"`     // the pattern: /products/{id}
	Entities  map[string]string `json:"entities"` // the segments: {"id": "7"}
	RequestID string            `json:"request_id"`
	Contour   shop.Contour      `json:"contour"`
	Status    int               `json:"status"`
}

func insertAudit(ctx context.Context, q Querier, e AuditEntry) error {
	if e.Entities == nil {
		e.Entities = map[string]string{}
	}
	_, err := q.Exec(ctx, `
		INSERT INTO audit_log (company_id, at, person_id, key_id, method, path, entities, request_id, contour, status)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.Company, e.At, e.Person, e.Key, e.Method, e.Path, e.Entities, e.RequestID, e.Contour, e.Status)
	return err
}

// Audit writes an entry in the same transaction, for a call whose own row does not record
// the caller.
func (tx *Tx) Audit(ctx context.Context, e AuditEntry) error { return insertAudit(ctx, tx.DB, e) }

// AuditFilter selects entries; zero fields don't restrict.
type AuditFilter struct {
	Person shop.UserID
	Key    shop.KeyID
	Path   string // the whole pattern
	Since  time.Time
}

// AuditLog lists the shop's entries, newest first, and counts all that match.
func (r Reader) AuditLog(ctx context.Context, f AuditFilter, number, limit int) (list []AuditEntry, total int, err error) {
	const where = ` FROM audit_log WHERE company_id = $1 AND ($2::integer = 0 OR person_id = $2) AND ($3::bigint = 0 OR key_id = $3)
		AND ($4::text = '' OR path = $4) AND ($5::timestamptz IS NULL OR at >= $5)`
	var since *time.Time
	if !f.Since.IsZero() {
		since = &f.Since
	}
	if err := r.DB.QueryRow(ctx, `SELECT count(*)`+where, r.Company, f.Person, f.Key, f.Path, since).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT id, at, person_id, key_id, method, path, entities, request_id, contour, status`+where+`
		ORDER BY id DESC LIMIT $6 OFFSET $7`, r.Company, f.Person, f.Key, f.Path, since, limit, (number-1)*limit)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	list = []AuditEntry{}
	for rows.Next() {
		e := AuditEntry{Company: r.Company}
		if err := rows.Scan(&e.ID, &e.At, &e.Person, &e.Key, &e.Method, &e.Path, &e.Entities, &e.RequestID, &e.Contour, &e.Status); err != nil {
			return nil, 0, err
		}
		e.At = e.At.UTC()
		list = append(list, e)
	}
	return list, total, rows.Err()
}

// SweepAudit deletes entries older than 90 days.
func (s *Store) SweepAudit(ctx context.Context, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM audit_log WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM audit_log WHERE at < $1 LIMIT $2))`, now.Add(-auditRetention))
}
