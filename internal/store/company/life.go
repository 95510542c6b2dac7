package company

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Companies lists every shop by its slug, deleted ones too, for the operator.
func Companies(ctx context.Context, s *store.Store) ([]Company, error) {
	rows, err := s.Pool.Query(ctx, `SELECT `+companyColumns+` FROM company c WHERE c.import_job IS NULL ORDER BY c.slug`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Company
	for rows.Next() {
		c, err := scanCompany(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// Rename gives the shop another slug, another name or both; an empty one stays. Its old address
// is free from then on.
func Rename(ctx context.Context, tx *store.Tx, slug, name string) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.DB.Exec(ctx, `
		UPDATE company SET slug = coalesce(nullif($2, ''), slug), name = coalesce(nullif($3, ''), name),
			settings_at = CASE WHEN $3 = '' THEN settings_at ELSE now() END WHERE id = $1`, tx.Company, slug, name)
	return slugTaken(err, slug)
}

// How many shops a person may own, deleted ones included, and how many may be opened from one
// network in a day.
const (
	MaxOwned  = 20
	MaxOpened = 20
	openedFor = 24 * time.Hour
)

// CountOpening refuses the new shop of a transaction beyond the limits on shops that people open
// themselves. network is that of the caller. It counts until the transaction ends. A job without a
// shop makes one, so it counts as one.
func CountOpening(ctx context.Context, tx *store.Tx, owner shop.UserID, network string, now time.Time) error {
	sum := sha256.Sum256([]byte(network))
	network = hex.EncodeToString(sum[:])
	if _, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('openings:' || $1::text, 0))`, network); err != nil {
		return err
	}
	var owned, opened int
	var oldest *time.Time
	b := &pgx.Batch{}
	b.Queue(`SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, owner)
	b.Queue(`SELECT (SELECT count(*) FROM member WHERE person_id = $1 AND role = 'owner')
		+ (SELECT count(*) FROM job WHERE person_id = $1 AND company_id IS NULL AND state IN ('queued', 'running'))`, owner).QueryRow(func(row pgx.Row) error { return row.Scan(&owned) })
	b.Queue(`SELECT count(*), min(opened_at) FROM shop_opening WHERE network = $1 AND opened_at > $2`, network, now.Add(-openedFor)).
		QueryRow(func(row pgx.Row) error { return row.Scan(&opened, &oldest) })
	b.Queue(`INSERT INTO shop_opening (network, opened_at) VALUES ($1, $2)`, network, now)
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	switch {
	case owned > MaxOwned: // the new one is among them
		return shop.ErrRateLimited.With(fmt.Sprintf("a person owns at most %d shops; deleted ones count until they are gone", MaxOwned)).RetryAfter(int(openedFor.Seconds()))
	case opened >= MaxOpened:
		return shop.ErrRateLimited.With(fmt.Sprintf("at most %d shops a day from one network", MaxOpened)).
			RetryAfter(max(1, int(oldest.Add(openedFor).Sub(now).Seconds())))
	}
	return nil
}

// SweepOpenings forgets networks that opened shops more than a day before a time.
func SweepOpenings(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM shop_opening WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM shop_opening WHERE opened_at <= $1 LIMIT $2))`, now.Add(-openedFor))
}

// Deleted is a shop that its owner deleted.
type Deleted struct {
	Company         shop.CompanyID
	Slug            string
	At              time.Time
	RestorableUntil time.Time
	Moves           bool       // to another installation, or from one
	Arriving        shop.JobID // that fills the shop; 0: it is complete
}

// lockLife reads and locks when a shop was deleted; it finds deleted shops, too.
func lockLife(ctx context.Context, tx *store.Tx) (d Deleted, deleted bool, err error) {
	var at *time.Time
	d.Company = tx.Company
	err = tx.DB.QueryRow(ctx, `
		SELECT slug, deleted_at, coalesce(import_job, 0), EXISTS (SELECT FROM shop_move WHERE company_id = $1) FROM company WHERE id = $1 FOR UPDATE`, tx.Company).
		Scan(&d.Slug, &at, &d.Arriving, &d.Moves)
	if store.NoRow(err) {
		err = store.ErrShopNotFound
	}
	if at != nil {
		d.At, d.RestorableUntil = at.UTC(), at.UTC().Add(store.RestoreWindow)
	}
	return d, at != nil, err
}

// Delete marks the shop as deleted. Nothing but Restore and DeleteCompany finds it from then on,
// except that its payments are still recorded.
func Delete(ctx context.Context, tx *store.Tx, now time.Time) (Deleted, error) {
	d, deleted, err := lockLife(ctx, tx)
	if err == nil && deleted {
		err = store.ErrShopDeleted
	}
	if err != nil {
		return d, err
	}
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err = tx.DB.Exec(ctx, `UPDATE company SET deleted_at = $2 WHERE id = $1`, tx.Company, now)
	d.At, d.RestorableUntil = now.UTC(), now.UTC().Add(store.RestoreWindow)
	return d, err
}

// RestoreDeleted undoes Delete within store.RestoreWindow. It changes nothing for a shop that is not
// deleted.
func RestoreDeleted(ctx context.Context, tx *store.Tx, now time.Time) error {
	d, deleted, err := lockLife(ctx, tx)
	switch {
	case err != nil || !deleted:
		return err
	case d.Moves:
		return store.ErrRestoreExpired.With("the shop has moved to another server, or comes from one")
	case !now.Before(d.RestorableUntil):
		return store.ErrRestoreExpired.With("the 30 days have passed")
	}
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err = tx.DB.Exec(ctx, `UPDATE company SET deleted_at = NULL WHERE id = $1`, tx.Company)
	return err
}

// DeletedBySlug finds a shop that its owner deleted.
func DeletedBySlug(ctx context.Context, s *store.Store, slug string) (Company, error) {
	return scanCompany(s.Pool.QueryRow(ctx, `SELECT `+companyColumns+` FROM company c WHERE c.slug = $1 AND c.deleted_at IS NOT NULL`, slug))
}

// ExpiredCompanies lists the shops that can no longer be restored.
func ExpiredCompanies(ctx context.Context, s *store.Store, now time.Time) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT id FROM company WHERE deleted_at <= $1 AND `+store.NotMoving("id")+` ORDER BY id`, now.Add(-store.RestoreWindow))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DeleteCompany removes a shop with every row that belongs to it, and returns how many rows of
// each table were removed. Before the first row goes, the shop is marked as deleted for good: it
// cannot be restored, and if the process dies, the next call or the upkeep goes on. People stay,
// because they may work elsewhere; the collector deletes bytes that are no longer referenced. The
// tables are read from the database catalogue, as for a backup, so that tables of new migrations
// are included.
func DeleteCompany(ctx context.Context, s *store.Store, id shop.CompanyID) (removed map[string]int64, err error) {
	return deleteCompany(ctx, s, id, func(Deleted, bool) bool { return true })
}

// DeleteExpired is DeleteCompany for a shop that can no longer be restored. One that was restored
// meanwhile is left alone.
func DeleteExpired(ctx context.Context, s *store.Store, id shop.CompanyID, now time.Time) error {
	_, err := deleteCompany(ctx, s, id, func(d Deleted, deleted bool) bool { return deleted && !now.Before(d.RestorableUntil) })
	return err
}

func deleteCompany(ctx context.Context, s *store.Store, id shop.CompanyID, may func(d Deleted, deleted bool) bool) (removed map[string]int64, err error) {
	tables, err := TenantTables(ctx, s)
	if err != nil {
		return nil, err
	}
	slices.Reverse(tables) // referencing tables before referenced ones
	allowed := false
	err = s.Write(ctx, id, func(tx *store.Tx) error {
		d, deleted, err := lockLife(ctx, tx)
		if err != nil || !may(d, deleted) {
			return err
		}
		allowed = true
		tx.Changed(shop.Key{Kind: shop.KeyShop})
		if _, err = tx.DB.Exec(ctx, `DELETE FROM shop_move WHERE company_id = $1`, id); err == nil { // nobody writes to a shop that has gone
			_, err = tx.DB.Exec(ctx, `UPDATE company SET deleted_at = 'epoch' WHERE id = $1`, id)
		}
		return err
	})
	if err != nil || !allowed {
		return nil, err
	}
	removed = map[string]int64{}
	for _, t := range tables {
		if err := deleteChunks(ctx, s, id, t, removed); err != nil {
			return removed, fmt.Errorf("rows of %s: %w", t.Name, err)
		}
	}
	err = s.Write(ctx, id, func(tx *store.Tx) error {
		// Concurrent writers to the shop wait here, and then find no shop.
		if _, _, err := lockLife(ctx, tx); err != nil {
			return err
		}
		for _, t := range tables {
			tag, err := tx.DB.Exec(ctx, `DELETE FROM `+t.Ident()+` WHERE company_id = $1`, id)
			if err != nil {
				return fmt.Errorf("rows of %s: %w", t.Name, err)
			}
			if n := tag.RowsAffected(); n > 0 {
				removed[t.Name] += n
			}
		}
		_, err := tx.DB.Exec(ctx, `DELETE FROM company WHERE id = $1`, id)
		return err
	})
	return removed, err
}

// deleteChunk is how many rows one transaction deletes.
const deleteChunk = 5000

// deleteChunks deletes the rows of a table in short transactions. It leaves rows that others of the
// shop refer to, such as those of a table that refers to itself. In one transaction, each deleted
// row would be checked against all dead rows of the tables that refer to it. The tables are not
// analysed in between: for one that looks empty any index is as good, and the checks of 200,000
// products read all dead entries of the wrong one.
func deleteChunks(ctx context.Context, s *store.Store, id shop.CompanyID, t TenantTable, removed map[string]int64) error {
	for {
		tag, err := s.Beside().Exec(ctx, `DELETE FROM `+t.Ident()+` WHERE ctid = ANY(ARRAY(
			SELECT ctid FROM `+t.Ident()+` WHERE company_id = $1 LIMIT $2))`, id, deleteChunk)
		if store.IsReferenced(err) {
			return nil
		}
		n := tag.RowsAffected()
		if n > 0 {
			removed[t.Name] += n
		}
		if err != nil || n < deleteChunk {
			return err
		}
	}
}
