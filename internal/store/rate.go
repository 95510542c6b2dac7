package store

import (
	"context"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// RateCount is how many calls of one rate class a shop made in one minute.
type RateCount struct {
	Company shop.CompanyID
	Class   uint8
	Calls   int32
}

// ShareRates publishes the counts of one process in a minute since 1970 and returns the
// counts of all others for the same shops. It is one statement a second, regardless of the
// number of calls.
func (s *Store) ShareRates(ctx context.Context, node uuid.UUID, minute int64, own []RateCount) (others []RateCount, err error) {
	companies, classes, calls := make([]int32, len(own)), make([]int16, len(own)), make([]int32, len(own))
	for i, c := range own {
		companies[i], classes[i], calls[i] = int32(c.Company), int16(c.Class), c.Calls
	}
	rows, err := s.Pool.Query(ctx, `
		WITH mine AS (
			INSERT INTO rate_count (minute, company_id, class, node, calls)
			SELECT $1, company_id, class, $2, calls FROM unnest($3::integer[], $4::smallint[], $5::integer[]) AS u (company_id, class, calls)
			ON CONFLICT (minute, company_id, class, node) DO UPDATE SET calls = excluded.calls)
		SELECT company_id, class, sum(calls)::integer FROM rate_count
		WHERE minute = $1 AND company_id = ANY($3) AND node <> $2 GROUP BY company_id, class`, minute, node, companies, classes, calls)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var c RateCount
		var class int16
		if err := rows.Scan(&c.Company, &class, &c.Calls); err != nil {
			return nil, err
		}
		c.Class = uint8(class)
		others = append(others, c)
	}
	return others, rows.Err()
}

// SweepRates deletes the counts of minutes before the given one.
func (s *Store) SweepRates(ctx context.Context, minute int64) error {
	return s.SweepBatches(ctx, `DELETE FROM rate_count WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM rate_count WHERE minute < $1 LIMIT $2))`, minute)
}
