package webhook

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// eventBatch is how many events one statement numbers.
const eventBatch = 10_000

// EventsAfter lists events of these names after a sequence number, in ascending order.
// Numbers are assigned here, to committed events: an event that commits later gets a higher
// number, so a reader that continues after the last number misses nothing.
func EventsAfter(ctx context.Context, s *store.Store, company shop.CompanyID, after int64, names []string, limit int) (list []Event, err error) {
	for numbered := int64(eventBatch); ; {
		rows, err := s.Pool.Query(ctx, `
			SELECT `+eventColumns+` FROM event WHERE company_id = $1 AND seq > $2 AND name = ANY($3) ORDER BY seq LIMIT $4`, company, after, names, limit)
		if err != nil {
			return nil, err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
		if err != nil || len(list) == limit || numbered < eventBatch {
			return list, err
		}
		if numbered, err = numberEvents(ctx, s, company); err != nil || numbered == 0 {
			return list, err
		}
	}
}

// numberEvents assigns the next numbers to events without one, and returns how many.
func numberEvents(ctx context.Context, s *store.Store, company shop.CompanyID) (n int64, err error) {
	var unnumbered bool
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM event WHERE company_id = $1 AND seq IS NULL)`, company).Scan(&unnumbered)
	if err != nil || !unnumbered {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var last int64
		err := tx.QueryRow(ctx, `
			INSERT INTO event_counter AS c (company_id) VALUES ($1) ON CONFLICT (company_id) DO UPDATE SET last = c.last RETURNING last`, company).Scan(&last)
		if err != nil {
			return err
		}
		// A separate statement, which sees the numbers assigned while this transaction
		// waited for the lock.
		tag, err := tx.Exec(ctx, `
			WITH next AS (
				SELECT id, $2 + row_number() OVER (ORDER BY id) AS seq
				FROM (SELECT id FROM event WHERE company_id = $1 AND seq IS NULL ORDER BY id LIMIT $3) e),
			counted AS (UPDATE event_counter SET last = $2 + (SELECT count(*) FROM next) WHERE company_id = $1)
			UPDATE event e SET seq = next.seq FROM next WHERE e.company_id = $1 AND e.id = next.id`, company, last, eventBatch)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}
