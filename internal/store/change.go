package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// changesKept is how many versions a reader may be behind and still catch up by keys; a
// reader further behind reloads the shop.
const changesKept = 1000

// Bump raises the version of the shop when the transaction changed anything, and records
// the edits of products; otherwise version is 0. It asks whether the transaction may be committed.
func (tx *Tx) Bump(ctx context.Context) (version int64, err error) {
	if len(tx.changes) == 0 {
		_, err := tx.DB.Exec(ctx, mayWrite, tx.Company)
		return 0, moving(err)
	}
	kinds, ids := make([]int16, len(tx.changes)), make([]int64, len(tx.changes))
	for i, k := range tx.changes {
		kinds[i], ids[i] = int16(k.Kind), k.ID
	}
	err = tx.WriteLive(ctx, func() error {
		b := &pgx.Batch{}
		tx.queueEdits(b)
		b.Queue(mayWrite, tx.Company)
		b.Queue(`
			WITH v AS (UPDATE company SET version = version + 1 WHERE id = $1 RETURNING version),
			old AS (DELETE FROM company_change WHERE company_id = $1 AND version < (SELECT version FROM v) - $4)
			INSERT INTO company_change (company_id, version, kinds, ids, at) SELECT $1, version, $2, $3, clock_timestamp() FROM v
			RETURNING version`, tx.Company, kinds, ids, changesKept).
			QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
		return tx.DB.SendBatch(ctx, b).Close()
	})
	if err := moving(err); err != nil {
		return 0, fmt.Errorf("bump the version of shop %d: %w", tx.Company, err)
	}
	return version, nil
}

// Changes returns the keys changed since a version, and the version they lead to. whole is
// true when the changes are not known: they are no longer kept, or the database does not have
// that version, because it has lost writes. The caller must then reload the shop.
func (r Reader) Changes(ctx context.Context, since int64) (keys []shop.Key, version int64, whole bool, err error) {
	from, sameEra := r.stored(since)
	rows, err := r.DB.Query(ctx, `
		SELECT c.version, h.version, h.kinds, h.ids FROM company c LEFT JOIN company_change h ON h.company_id = c.id AND h.version > $2
		WHERE c.id = $1 ORDER BY h.version`, r.Company, from)
	if err != nil {
		return nil, 0, false, err
	}
	defer rows.Close()
	last, now := from, from
	for rows.Next() {
		var change *int64
		var kinds []int16
		var ids []int64
		if err := rows.Scan(&now, &change, &kinds, &ids); err != nil {
			return nil, 0, false, err
		}
		if change == nil {
			break
		}
		whole = whole || *change != last+1
		last = *change
		for i := range kinds {
			keys = append(keys, shop.Key{Kind: shop.KeyKind(kinds[i]), ID: ids[i]})
		}
	}
	rows.Close()
	return keys, r.Version(now), whole || last != now || !sameEra, rows.Err()
}
