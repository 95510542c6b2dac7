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
// the edits of products; otherwise version is 0.
func (tx *Tx) Bump(ctx context.Context) (version int64, err error) {
	if len(tx.changes) == 0 {
		return 0, nil
	}
	kinds, ids := make([]int16, len(tx.changes)), make([]int64, len(tx.changes))
	for i, k := range tx.changes {
		kinds[i], ids[i] = int16(k.Kind), k.ID
	}
	err = tx.WriteLive(ctx, func() error {
		b := &pgx.Batch{}
		tx.queueEdits(b)
		b.Queue(`
			WITH v AS (UPDATE company SET version = version + 1 WHERE id = $1 RETURNING version),
			old AS (DELETE FROM company_change WHERE company_id = $1 AND version < (SELECT version FROM v) - $4)
			INSERT INTO company_change (company_id, version, kinds, ids) SELECT $1, version, $2, $3 FROM v
			RETURNING version`, tx.Company, kinds, ids, changesKept).
			QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
		return tx.DB.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return 0, fmt.Errorf("bump the version of shop %d: %w", tx.Company, err)
	}
	return version, nil
}

// Changes returns the keys changed since a version, and the version they lead to. whole is
// true when the changes are no longer kept: the caller must reload the shop.
func (r Reader) Changes(ctx context.Context, since int64) (keys []shop.Key, version int64, whole bool, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT version, kinds, ids FROM company_change WHERE company_id = $1 AND version > $2 ORDER BY version`, r.Company, since)
	if err != nil {
		return nil, 0, false, err
	}
	defer rows.Close()
	version = since
	for rows.Next() {
		var v int64
		var kinds []int16
		var ids []int64
		if err := rows.Scan(&v, &kinds, &ids); err != nil {
			return nil, 0, false, err
		}
		if v != version+1 {
			whole = true
		}
		version = v
		for i := range kinds {
			keys = append(keys, shop.Key{Kind: shop.KeyKind(kinds[i]), ID: ids[i]})
		}
	}
	return keys, version, whole, rows.Err()
}

// Versions returns the versions of those shops whose version is higher than the caller's.
// Edges in other processes poll it.
func (s *Store) Versions(ctx context.Context, loaded map[shop.CompanyID]int64) (map[shop.CompanyID]int64, error) {
	ids := make([]int32, 0, len(loaded))
	for id := range loaded {
		ids = append(ids, int32(id))
	}
	rows, err := s.Pool.Query(ctx, `SELECT id, version FROM company WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	newer, alive := map[shop.CompanyID]int64{}, map[shop.CompanyID]bool{}
	for rows.Next() {
		var id shop.CompanyID
		var version int64
		if err := rows.Scan(&id, &version); err != nil {
			return nil, err
		}
		alive[id] = true
		if version > loaded[id] {
			newer[id] = version
		}
	}
	for id, version := range loaded {
		if !alive[id] {
			newer[id] = version + 1 // reading that shop returns ErrShopNotFound
		}
	}
	return newer, rows.Err()
}
