// Package movein stores what imports from other shop systems did: which object of ours a thing of
// theirs became, what each import changed, and which pictures it still fetches.
//
// An origin is found by system, kind and key, never by an id of the other system. A change has
// what an undo needs. Both are rows of the transaction that writes the object.
package movein

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of imports.
var (
	ErrNotFound = shop.Refuse(shop.NotFound, "IMPORT_NOT_FOUND").When("the shop has no such import")
	ErrUndone   = shop.Refuse(shop.FailedPrecondition, "IMPORT_UNDONE").When("the import was undone, or is being undone")
)

// Import is an import that began.
type Import struct {
	ID        shop.JobID
	Person    shop.UserID
	System    string
	Files     []string
	Counts    json.RawMessage
	CreatedAt time.Time
	UndoJob   *shop.JobID
	UndoneAt  *time.Time
	Fetching  bool
}

const importColumns = `id, person_id, system, files, counts, created_at, undo_job, undone_at, fetching`

// Begin records an import, unless an earlier attempt of its job did.
func Begin(ctx context.Context, tx *store.Tx, i Import) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO move_in (company_id, id, person_id, system, files, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		tx.Company, i.ID, i.Person, i.System, i.Files, i.CreatedAt)
	return err
}

// End stores the counts of an import whose job is done.
func End(ctx context.Context, tx *store.Tx, id shop.JobID, counts any) error {
	_, err := tx.DB.Exec(ctx, `UPDATE move_in SET counts = $3 WHERE company_id = $1 AND id = $2`, tx.Company, id, counts)
	return err
}

// List returns the newest imports of the shop.
func List(ctx context.Context, r store.Reader, limit int) ([]Import, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+importColumns+` FROM move_in WHERE company_id = $1 ORDER BY id DESC LIMIT $2`, r.Company, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Import])
}

// Get returns an import of the shop.
func Get(ctx context.Context, r store.Reader, id shop.JobID) (Import, error) {
	return get(ctx, r, id, "")
}

// Lock is Get for an import that is about to be changed.
func Lock(ctx context.Context, tx *store.Tx, id shop.JobID) (Import, error) {
	return get(ctx, tx.Reader, id, " FOR UPDATE")
}

func get(ctx context.Context, r store.Reader, id shop.JobID, how string) (Import, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+importColumns+` FROM move_in WHERE company_id = $1 AND id = $2`+how, r.Company, id)
	if err != nil {
		return Import{}, err
	}
	i, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Import])
	if store.NoRow(err) {
		err = ErrNotFound.With(id.String())
	}
	return i, err
}

// Undoing records the job that undoes an import; 0: that job ended without success.
func Undoing(ctx context.Context, tx *store.Tx, id, by shop.JobID) error {
	_, err := tx.DB.Exec(ctx, `UPDATE move_in SET undo_job = nullif($3, 0) WHERE company_id = $1 AND id = $2`, tx.Company, id, by)
	return err
}

// Undone records that nothing is left of an import, and forgets its pictures.
func Undone(ctx context.Context, tx *store.Tx, id shop.JobID, now time.Time) error {
	_, err := tx.DB.Exec(ctx, `UPDATE move_in SET undone_at = $3, fetching = false WHERE company_id = $1 AND id = $2`, tx.Company, id, now)
	if err == nil {
		_, err = tx.DB.Exec(ctx, `DELETE FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2`, tx.Company, id)
	}
	return err
}

// Sweep deletes the records of imports that were undone before a time. One that was the last to
// bring pictures of an object stays: it says which gallery is the owner's own.
func Sweep(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM move_in WHERE (company_id, id) IN (
		SELECT company_id, id FROM move_in m WHERE undone_at < $1
			AND NOT EXISTS (SELECT FROM move_in_place p WHERE p.company_id = m.company_id AND p.move_in_id = m.id) LIMIT $2)`, before)
}

// InTurn waits for other imports and undos of the shop that are writing, and keeps them waiting until
// the transaction ends. What they wrote is then known, so that two imports of the same files do not
// both create what is in them.
func InTurn(ctx context.Context, tx *store.Tx) error {
	_, err := tx.DB.Exec(ctx, `SELECT FROM move_in WHERE company_id = $1 ORDER BY id FOR NO KEY UPDATE`, tx.Company)
	return err
}

// Origin is what a thing of another system became. Fields has a hash of each field as the last
// import wrote it.
type Origin struct {
	Kind, Key string
	Object    int64
	Fields    map[string]string
}

// Origins returns those of the keys that are known.
func Origins(ctx context.Context, r store.Reader, system, kind string, keys []string) (map[string]Origin, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT kind, key, object_id, fields FROM move_in_origin WHERE company_id = $1 AND system = $2 AND kind = $3 AND key = ANY($4)`,
		r.Company, system, kind, keys)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Origin])
	known := make(map[string]Origin, len(list))
	for _, o := range list {
		known[o.Key] = o
	}
	return known, err
}

// Change is what an import did to an object: created it, if Before is nil.
type Change struct {
	Kind, Key string
	Object    int64
	Before    json.RawMessage   // the changed fields as they were
	Fields    map[string]string // of the origin before
}

// Written is an object that an import wrote, with the fields of its origin from now on.
type Written struct {
	Change
	Now map[string]string
}

// Write records what an import wrote. Of several changes of an object by one import, the first
// counts for the undo.
func Write(ctx context.Context, tx *store.Tx, id shop.JobID, system string, list []Written) error {
	b := &pgx.Batch{}
	for _, w := range list {
		b.Queue(`
			INSERT INTO move_in_origin (company_id, system, kind, key, object_id, fields) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (company_id, system, kind, key) DO UPDATE SET object_id = excluded.object_id, fields = excluded.fields`,
			tx.Company, system, w.Kind, w.Key, w.Object, w.Now)
		b.Queue(`
			INSERT INTO move_in_change (company_id, move_in_id, kind, key, object_id, before, fields) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (company_id, move_in_id, kind, key) DO NOTHING`,
			tx.Company, id, w.Kind, w.Key, w.Object, w.Before, w.Fields)
	}
	return tx.DB.SendBatch(ctx, b).Close()
}

// Changes returns changes of a kind that an import made and that are not undone yet.
func Changes(ctx context.Context, r store.Reader, id shop.JobID, kind string, limit int) ([]Change, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT kind, key, object_id, before, fields FROM move_in_change WHERE company_id = $1 AND move_in_id = $2 AND kind = $3
		ORDER BY object_id DESC LIMIT $4`, r.Company, id, kind, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Change])
}

// CountChanges counts what is not undone of an import.
func CountChanges(ctx context.Context, r store.Reader, id shop.JobID) (n int64, err error) {
	err = r.DB.QueryRow(ctx, `SELECT count(*) FROM move_in_change WHERE company_id = $1 AND move_in_id = $2`, r.Company, id).Scan(&n)
	return n, err
}

// Later is a later import that changed the same object, with what it noted for its own undo.
type Later struct {
	ID     shop.JobID
	Before map[string]json.RawMessage
	Fields map[string]string
}

// LaterChanges returns the changes of an object by imports after one, the earliest first.
func LaterChanges(ctx context.Context, r store.Reader, after shop.JobID, kind string, object int64) ([]Later, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT move_in_id, before, fields FROM move_in_change
		WHERE company_id = $1 AND kind = $2 AND object_id = $3 AND move_in_id > $4 AND before IS NOT NULL ORDER BY move_in_id`,
		r.Company, kind, object, after)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Later])
}

// Tally counts what an import did, by kind.
type Tally struct {
	Kind             string
	Created, Changed int
}

// Tallies counts what an import did.
func Tallies(ctx context.Context, r store.Reader, id shop.JobID) ([]Tally, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT kind, count(*) FILTER (WHERE before IS NULL), count(before) FROM move_in_change
		WHERE company_id = $1 AND move_in_id = $2 GROUP BY kind ORDER BY kind`, r.Company, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Tally])
}

// SectionUsed reports whether a section has something besides what was removed: a section below
// it, a product or an article.
func SectionUsed(ctx context.Context, r store.Reader, id int64) (used bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM category WHERE company_id = $1 AND parent_id = $2 AND deleted_at IS NULL)
			OR EXISTS (SELECT FROM product WHERE company_id = $1 AND category_id = $2 AND deleted_at IS NULL)
			OR EXISTS (SELECT FROM product_extra_category x JOIN product p ON p.company_id = x.company_id AND p.id = x.product_id
				WHERE x.company_id = $1 AND x.category_id = $2 AND p.deleted_at IS NULL)
			OR EXISTS (SELECT FROM article WHERE company_id = $1 AND category_id = $2 AND deleted_at IS NULL)`, r.Company, id).Scan(&used)
	return used, err
}

// AttributeUsed reports whether a product that is not deleted has an attribute.
func AttributeUsed(ctx context.Context, r store.Reader, id int64) (used bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM product_attribute a JOIN product p ON p.company_id = a.company_id AND p.id = a.product_id
			WHERE a.company_id = $1 AND a.attribute_id = $2 AND p.deleted_at IS NULL)`, r.Company, id).Scan(&used)
	return used, err
}

// RemoveCustomer deletes a customer who only came with an import: who neither ordered, signed in,
// wrote nor was erased since.
func RemoveCustomer(ctx context.Context, tx *store.Tx, id int64) (removed bool, err error) {
	tag, err := tx.DB.Exec(ctx, `
		DELETE FROM customer c WHERE company_id = $1 AND id = $2 AND person_id = 0 AND erased_at IS NULL
			AND NOT EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.customer_id = $2)
			AND NOT EXISTS (SELECT FROM form_lead l WHERE l.company_id = $1 AND lower(l.email) = c.email)`, tx.Company, id)
	return tag.RowsAffected() > 0, err
}

// SetBefore changes what a later import noted for its undo.
func SetBefore(ctx context.Context, tx *store.Tx, kind, key string, l Later) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE move_in_change SET before = $5, fields = $6 WHERE company_id = $1 AND move_in_id = $2 AND kind = $3 AND key = $4`,
		tx.Company, l.ID, kind, key, l.Before, l.Fields)
	return err
}

// Revert removes a change that was undone. The origin gets these fields, or goes with its object
// if fields is nil.
func Revert(ctx context.Context, tx *store.Tx, id shop.JobID, system string, c Change, fields map[string]string) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM move_in_change WHERE company_id = $1 AND move_in_id = $2 AND kind = $3 AND key = $4`, tx.Company, id, c.Kind, c.Key)
	if fields == nil {
		b.Queue(`DELETE FROM move_in_origin WHERE company_id = $1 AND system = $2 AND kind = $3 AND key = $4 AND object_id = $5`,
			tx.Company, system, c.Kind, c.Key, c.Object)
		b.Queue(`DELETE FROM move_in_place WHERE company_id = $1 AND kind = $2 AND object_id = $3`, tx.Company, c.Kind, c.Object)
	} else {
		b.Queue(`UPDATE move_in_origin SET fields = $5 WHERE company_id = $1 AND system = $2 AND kind = $3 AND key = $4`,
			tx.Company, system, c.Kind, c.Key, fields)
	}
	return tx.DB.SendBatch(ctx, b).Close()
}
