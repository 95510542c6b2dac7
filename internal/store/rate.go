package store

import (
	"context"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// TakeRate adds calls of a class to those that all processes have taken from a company's budget in a
// minute since 1970, and returns their sum.
func (s *Store) TakeRate(ctx context.Context, minute int64, company shop.CompanyID, class uint8, calls int) (sum int, err error) {
	err = s.Pool.QueryRow(ctx, `
		INSERT INTO rate_count AS r (minute, company_id, class, node, calls) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (minute, company_id, class, node) DO UPDATE SET calls = r.calls + excluded.calls RETURNING calls`,
		minute, company, int16(class), uuid.Nil, calls).Scan(&sum)
	return sum, err
}

// SweepRates deletes the counts of minutes before the given one.
func (s *Store) SweepRates(ctx context.Context, minute int64) error {
	return s.SweepBatches(ctx, `DELETE FROM rate_count WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM rate_count WHERE minute < $1 LIMIT $2))`, minute)
}
