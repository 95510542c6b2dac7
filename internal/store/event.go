package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// RecordEvent stores an event of the shop in the transaction that causes it. A draft
// transaction records nothing.
func (tx *Tx) RecordEvent(ctx context.Context, name string, body any) error {
	if tx.draft {
		return nil
	}
	tx.told = true
	_, err := tx.q.Exec(ctx, `INSERT INTO event (company_id, name, body) VALUES ($1, $2, $3)`, tx.Company, name, body)
	return err
}

// Events lists all events of the shop, oldest first.
func (r Reader) Events(ctx context.Context) ([]Event, error) {
	rows, err := r.q.Query(ctx, `SELECT `+eventColumns+` FROM event WHERE company_id = $1 ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
}

// eventsAtOnce is how many events one statement numbers.
const eventsAtOnce = 10_000

// EventsAfter lists events of these names after a sequence number, in ascending order.
// Numbers are assigned here, to committed events: an event that commits later gets a higher
// number, so a reader that continues after the last number misses nothing.
func (s *Store) EventsAfter(ctx context.Context, company shop.CompanyID, after int64, names []string, limit int) (list []Event, err error) {
	for numbered := int64(eventsAtOnce); ; {
		rows, err := s.pool.Query(ctx, `
			SELECT `+eventColumns+` FROM event WHERE company_id = $1 AND seq > $2 AND name = ANY($3) ORDER BY seq LIMIT $4`, company, after, names, limit)
		if err != nil {
			return nil, err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
		if err != nil || len(list) == limit || numbered < eventsAtOnce {
			return list, err
		}
		if numbered, err = s.numberEvents(ctx, company); err != nil || numbered == 0 {
			return list, err
		}
	}
}

// numberEvents assigns the next numbers to events without one, and returns how many.
func (s *Store) numberEvents(ctx context.Context, company shop.CompanyID) (n int64, err error) {
	var unnumbered bool
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM event WHERE company_id = $1 AND seq IS NULL)`, company).Scan(&unnumbered)
	if err != nil || !unnumbered {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
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
			UPDATE event e SET seq = next.seq FROM next WHERE e.company_id = $1 AND e.id = next.id`, company, last, eventsAtOnce)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// edited records edits of products: each becomes one product.updated event when the
// transaction commits (document 1, section 6). Every write to a product, its variants, its
// galleries or its group calls it; writes to stock do not. A draft transaction records
// nothing.
func (tx *Tx) edited(ids ...shop.ProductID) {
	if !tx.draft {
		tx.edits = append(tx.edits, ids...)
	}
}

// productUpdated is the part of a transaction's last statement on shop $1 that records the
// edits $5, so that an edit costs no additional round trip.
const productUpdated = `
	INSERT INTO event (company_id, name, body)
	SELECT $1, 'product.updated', jsonb_build_object('product_id', id, 'company_id', $1::integer)
	FROM (SELECT DISTINCT unnest($5::integer[]) AS id ORDER BY 1) AS edited`
