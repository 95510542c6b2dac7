package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Alone runs work unless another process is doing work of that name, and reports whether it
// ran. The lock belongs to a separate transaction, which does nothing else: it ends with
// the process, however that ends, or some minutes after its machine fails. The transaction
// may be idle for as long as the work takes.
func (s *Store) Alone(ctx context.Context, name string, work func(context.Context) error) (ran bool, err error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
		set_config('tcp_keepalives_idle', '60', true), set_config('tcp_keepalives_interval', '20', true), set_config('tcp_keepalives_count', '3', true)`)
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended('alone:' || $1::text, 0))`, name).Scan(&ran)
	}
	if err == nil && ran {
		err = work(ctx)
	}
	if rerr := tx.Rollback(context.WithoutCancel(ctx)); rerr != nil && ctx.Err() == nil {
		err = errors.Join(err, rerr)
	}
	return ran, err
}

// Unfinished returns the shops with uploads or releases that were begun before a time and
// still wait for bytes or confirmation.
func (s *Store) Unfinished(ctx context.Context, before time.Time) ([]shop.CompanyID, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT company_id FROM media_file WHERE status <> 'stored' AND created_at < $1
		UNION SELECT r.company_id FROM release_file f JOIN release r ON r.company_id = f.company_id AND r.id = f.release_id
			WHERE f.pending AND r.deleted_at IS NULL AND r.created_at < $1
		ORDER BY 1`, before)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DropUnfinished deletes those uploads and releases of the shop. Nothing references them:
// only confirmed files can be used, and a release without all its bytes is never published.
func (tx *Tx) DropUnfinished(ctx context.Context, before time.Time) error {
	err := tx.dropReleases(ctx, `created_at < $2 AND EXISTS (
		SELECT 1 FROM release_file f WHERE f.company_id = $1 AND f.release_id = release.id AND f.pending)`, before)
	if err != nil {
		return err
	}
	tag, err := tx.q.Exec(ctx, `
		WITH gone AS (DELETE FROM media_file WHERE company_id = $1 AND status <> 'stored'
			AND created_at < $2 RETURNING status, original_sha256, size)
		INSERT INTO blob_reservation (company_id, sha256, size, until) SELECT $1, original_sha256, size, '-infinity' FROM gone
			WHERE status = 'uploaded'`,
		tx.Company, before)
	tx.freed = tx.freed || tag.RowsAffected() > 0
	return err
}

// ownerless is a condition: the layout or section of document d was deleted before $1.
const ownerless = `d.deleted_at IS NULL AND (
	d.kind = 'theme' AND EXISTS (SELECT FROM content_block o WHERE o.company_id = d.company_id AND o.id = d.owner_id AND o.deleted_at < $1)
	OR d.kind = 'folder' AND EXISTS (SELECT FROM category o WHERE o.company_id = d.company_id AND o.id = d.owner_id AND o.deleted_at < $1))`

// Ownerless returns the shops with folders whose layout or section was deleted before a
// time.
func (s *Store) Ownerless(ctx context.Context, before time.Time) ([]shop.CompanyID, error) {
	rows, err := s.pool.Query(ctx, `SELECT DISTINCT d.company_id FROM document d WHERE `+ownerless+` ORDER BY 1`, before)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DropOwnerless deletes those folders of the shop with their releases, which are no longer
// reachable, and removes their bytes from its account.
func (tx *Tx) DropOwnerless(ctx context.Context, before time.Time) error {
	rows, err := tx.q.Query(
		ctx, `SELECT d.id FROM document d WHERE d.company_id = $2 AND `+ownerless+` ORDER BY d.id FOR UPDATE`, before,
		tx.Company,
	)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[shop.DocumentID])
	for _, id := range ids {
		if err = tx.DeleteDocument(ctx, id); err != nil {
			break
		}
	}
	return err
}

// reference is a column that references an object of the blob store. A row for which living
// is false does not keep the object.
type reference struct{ table, column, living string }

// references lists all such columns.
var references = []reference{
	{"blob", "sha256", "true"},
	{"media_file", "sha256", "t.deleted_at IS NULL"},
	{"media_file", "original_sha256", "t.deleted_at IS NULL"},
	{"packed_file", "bundle_sha256", "true"},
	{"blob_reservation", "sha256", "true"},
	{"form_file", "sha256", "true"},
	{"release_file", "sha256", "NOT t.pending AND EXISTS (SELECT 1 FROM release r WHERE r.company_id = t.company_id AND r.id = t.release_id AND r.deleted_at IS NULL)"},
}

// Unreferred returns those of the objects that no row of any shop references.
func (s *Store) Unreferred(ctx context.Context, hashes []string) ([]string, error) {
	return unreferred(ctx, s.pool, hashes)
}

func unreferred(ctx context.Context, q querier, hashes []string) ([]string, error) {
	sql := `SELECT sha FROM unnest($1::text[]) AS sha WHERE true`
	for _, r := range references {
		sql += fmt.Sprintf(` AND NOT EXISTS (SELECT 1 FROM %[1]s t WHERE t.%[2]s = sha AND t.%[2]s <> '' AND %[3]s)`, r.table, r.column, r.living)
	}
	rows, err := q.Query(ctx, sql, hashes)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// HoldBlobs keeps those of the blobs that the shop owns on its account until the end of the
// transaction, which is about to reference them without storing their bytes again.
func (tx *Tx) HoldBlobs(ctx context.Context, hashes []string) error {
	if err := tx.lockStorage(ctx); err != nil {
		return err
	}
	_, err := tx.q.Exec(ctx, `
		SELECT 1 FROM blob WHERE company_id = $1 AND sha256 = ANY($2) ORDER BY sha256 FOR KEY SHARE`, tx.Company, hashes)
	return err
}
