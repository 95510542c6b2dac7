package media

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// How much a shop may have pending, independent of its plan (CONTRACT, "Bounds").
const (
	MaxPendingBytes   = 2 << 30 // of uploads in progress or waiting for confirmation
	MaxPendingUploads = 10_000  // announced and unconfirmed files, including those of releases
)

// Reservation is a number of bytes of a shop that are being stored. Their hash is empty until
// it is known. Spooled ones are in a temporary file: they count against MaxPendingBytes but
// not against the plan.
type Reservation struct {
	ID      int64
	SHA256  string
	Size    int64
	Spooled bool
}

// Pending returns how many bytes of the shop are being stored or deleted, or wait for the
// confirmation of their upload. Contents that the shop already owns do not count, others
// count once.
func Pending(ctx context.Context, r store.Reader) (bytes int64, err error) {
	bytes, _, err = pending(ctx, r)
	return bytes, err
}

func pending(ctx context.Context, r store.Reader) (stored, spooled int64, err error) {
	err = r.DB.QueryRow(ctx, `
		WITH waiting AS (
			SELECT sha256, size, spooled FROM blob_reservation WHERE company_id = $1
			UNION ALL SELECT original_sha256, size, false FROM media_file WHERE company_id = $1 AND status = 'uploaded' AND deleted_at IS NULL
		), contents AS (
			SELECT DISTINCT sha256, size FROM waiting w
			WHERE sha256 <> '' AND NOT EXISTS (SELECT FROM blob b WHERE b.company_id = $1 AND b.sha256 = w.sha256))
		SELECT (SELECT coalesce(sum(size), 0) FROM contents)::bigint
				+ (SELECT coalesce(sum(size), 0) FROM waiting WHERE sha256 = '' AND NOT spooled)::bigint,
			(SELECT coalesce(sum(size), 0) FROM waiting WHERE spooled)::bigint`, r.Company).Scan(&stored, &spooled)
	return stored, spooled, err
}

// PendingUploads counts the announced files that are not confirmed.
func PendingUploads(ctx context.Context, r store.Reader) (n int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM media_file WHERE company_id = $1 AND status <> 'stored' AND deleted_at IS NULL)
		+ (SELECT count(*) FROM release_file f JOIN release r ON r.company_id = $1 AND r.id = f.release_id AND r.deleted_at IS NULL
			WHERE f.company_id = $1 AND f.pending)`, r.Company).Scan(&n)
	return n, err
}

// CheckPendingUploads refuses uploads beyond the number that a shop may have pending.
func CheckPendingUploads(ctx context.Context, tx *store.Tx, more int) error {
	n, err := PendingUploads(ctx, tx.Reader)
	if err == nil && n+more > MaxPendingUploads {
		err = ErrStorageLimit.With(
			fmt.Sprintf("%d of %d uploads are unfinished or unconfirmed; finish or delete some", n, MaxPendingUploads),
		)
	}
	return err
}

// Reserve counts bytes before they are written, all of them or, beyond the plan or
// MaxPendingBytes, none, and sets the ids of the rows. The caller ends the reservation in
// the transaction that references the bytes, or gives it back; after its lifetime it expires in
// any case. It is committed at once, independent of the call's transaction.
func Reserve(ctx context.Context, s *store.Store, company shop.CompanyID, want []Reservation, lifetime time.Duration) error {
	return storageTx(ctx, s, company, func(tx *store.Tx) error {
		if err := reserve(ctx, tx, want, s.TestTime(), lifetime); err != nil {
			return err
		}
		return checkStorage(ctx, tx)
	})
}

// ReserveUpTo reserves as many of the wanted bytes as fit, but at least one: for a body of
// unknown length.
func ReserveUpTo(ctx context.Context, s *store.Store, company shop.CompanyID, want *Reservation, lifetime time.Duration) error {
	return storageTx(ctx, s, company, func(tx *store.Tx) error {
		planRoom, pendingRoom, err := storageLeft(ctx, tx)
		if err != nil {
			return err
		}
		capacity := pendingRoom
		if !want.Spooled {
			capacity = min(planRoom, pendingRoom)
		}
		want.Size = max(min(want.Size, capacity), 1)
		one := []Reservation{*want}
		if err := reserve(ctx, tx, one, s.TestTime(), lifetime); err != nil {
			return err
		}
		want.ID = one[0].ID
		return checkStorage(ctx, tx)
	})
}

// ReserveDerived is Reserve for data that the platform derives from a shop's bytes: counted
// and protected from deletion, but never refused.
func ReserveDerived(ctx context.Context, s *store.Store, company shop.CompanyID, made []Reservation, lifetime time.Duration) error {
	return s.SeparateTx(ctx, company, func(tx *store.Tx) error { return reserve(ctx, tx, made, s.TestTime(), lifetime) })
}

// IdentifyReservation sets the hash and size of reserved bytes, before their object appears. It
// waits for a concurrent deletion of the same object.
func IdentifyReservation(ctx context.Context, s *store.Store, company shop.CompanyID, r Reservation) error {
	return s.SeparateTx(ctx, company, func(tx *store.Tx) error {
		if err := lockShards(ctx, tx, []string{r.SHA256}); err != nil {
			return err
		}
		tag, err := tx.DB.Exec(
			ctx, `UPDATE blob_reservation SET sha256 = $3, size = $4 WHERE company_id = $1 AND id = $2`, company, r.ID, r.SHA256,
			r.Size,
		)
		if err == nil && tag.RowsAffected() == 0 {
			err = shop.ErrUnavailable.With("the upload took too long; send it again")
		}
		return err
	})
}

// storageTx runs a transaction that changes a shop's account of bytes.
func storageTx(ctx context.Context, s *store.Store, company shop.CompanyID, fn func(*store.Tx) error) error {
	return s.SeparateTx(ctx, company, func(tx *store.Tx) error {
		if err := tx.LockStorage(ctx); err != nil {
			return err
		}
		return fn(tx)
	})
}

func reserve(ctx context.Context, tx *store.Tx, want []Reservation, now *time.Time, lifetime time.Duration) error {
	hashes, sizes, spooled := make([]string, len(want)), make([]int64, len(want)), make([]bool, len(want))
	for i, r := range want {
		hashes[i], sizes[i], spooled[i] = r.SHA256, r.Size, r.Spooled
	}
	if err := lockShards(ctx, tx, hashes); err != nil {
		return err
	}
	rows, err := tx.DB.Query(ctx, `
		INSERT INTO blob_reservation (company_id, sha256, size, spooled, until)
		SELECT $1, sha, size, spooled, coalesce($5, now()) + $6::interval FROM unnest($2::text[], $3::bigint[], $4::boolean[]) WITH ORDINALITY AS w(sha, size, spooled, n)
			ORDER BY n
		RETURNING id`, tx.Company, hashes, sizes, spooled, now, lifetime)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for i, id := range ids {
		want[i].ID = id
	}
	return err
}

// EndReservations deletes reservations whose bytes this transaction references.
func EndReservations(ctx context.Context, tx *store.Tx, ids []int64) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM blob_reservation WHERE company_id = $1 AND id = ANY($2)`, tx.Company, ids)
	return err
}

// ReleaseReservations ends reservations whose bytes are not referenced; ClearReservations deletes
// the written objects.
func ReleaseReservations(ctx context.Context, s *store.Store, company shop.CompanyID, ids []int64) error {
	_, err := s.Pool.Exec(ctx, `UPDATE blob_reservation SET until = '-infinity' WHERE company_id = $1 AND id = ANY($2)`, company, ids)
	return err
}

// ReleaseBytes counts bytes that the shop no longer uses until they are deleted, which is after
// the commit.
func ReleaseBytes(ctx context.Context, tx *store.Tx, sha string, size int64) error {
	tx.BytesFreed = true
	_, err := tx.DB.Exec(
		ctx, `INSERT INTO blob_reservation (company_id, sha256, size, until) VALUES ($1, $2, $3, '-infinity')`, tx.Company,
		sha, size,
	)
	return err
}

// clearBatch bounds a step of ClearReservations, and so its locks.
const clearBatch = 100

// ClearReservations deletes expired reservations of a shop, or of all (0), passes their
// objects that are no longer referenced to remove, and returns how many it deleted; call it
// until that is 0. A concurrent announcement of an object with the same content waits, so
// that the object appears after the deletion.
func ClearReservations(
	ctx context.Context, s *store.Store, company shop.CompanyID, remove func(context.Context, []string) error,
) (n int, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(pgTx pgx.Tx) error {
		own, args := "", []any{s.TestTime(), clearBatch}
		if company != 0 {
			own, args = " AND company_id = $3", append(args, company)
		}
		rows, err := pgTx.Query(ctx, `
			DELETE FROM blob_reservation WHERE (company_id, id) IN (
				SELECT company_id, id FROM blob_reservation WHERE until <= coalesce($1, now())`+own+` ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)
			RETURNING sha256`, args...)
		if err != nil {
			return err
		}
		hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
		n = len(hashes)
		hashes = slices.DeleteFunc(hashes, func(sha string) bool { return sha == "" })
		if err != nil || len(hashes) == 0 {
			return err
		}
		return removeUnreferenced(ctx, pgTx, hashes, remove)
	})
	return n, err
}

// RemoveUnreferenced passes the objects that no row of any shop references to remove, like
// ClearReservations: for bytes that no shop accounts for.
func RemoveUnreferenced(ctx context.Context, s *store.Store, hashes []string, remove func(context.Context, []string) error) error {
	return pgx.BeginFunc(ctx, s.Pool, func(pgTx pgx.Tx) error { return removeUnreferenced(ctx, pgTx, hashes, remove) })
}

// removeUnreferenced leaves the objects to the upkeep while a backup is made.
func removeUnreferenced(ctx context.Context, pgTx pgx.Tx, hashes []string, remove func(context.Context, []string) error) error {
	if free, err := store.IsFree(ctx, pgTx, store.Backup); err != nil || !free {
		return err
	}
	if _, err := pgTx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('objects:' || shard, 0)) FROM `+shardsOf, hashes); err != nil {
		return err
	}
	unreferenced, err := unreferencedOf(ctx, pgTx, hashes)
	if err != nil || len(unreferenced) == 0 {
		return err
	}
	return remove(ctx, unreferenced)
}

// AwaitObjects waits until none of the objects is being deleted. The transaction is about to refer to
// objects that appear afterwards; deletions wait until it has committed.
func AwaitObjects(ctx context.Context, tx *store.Tx, hashes []string) error {
	return lockShards(ctx, tx, hashes)
}

// lockShards waits until none of the objects is being deleted, and blocks deletions until
// the transaction has committed its rows.
func lockShards(ctx context.Context, tx *store.Tx, hashes []string) error {
	_, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended('objects:' || shard, 0)) FROM `+shardsOf, hashes)
	return err
}

// shardsOf are the shards of the blob store for hashes ($1): at most 256 locks for any
// number of them, always in the same order.
const shardsOf = `(SELECT DISTINCT left(sha, 2) AS shard FROM unnest($1::text[]) AS sha WHERE sha <> '' ORDER BY 1) s`

// checkStorage refuses bytes that the transaction added beyond the plan, or beyond the
// pending limit.
func checkStorage(ctx context.Context, tx *store.Tx) error {
	planRoom, pendingRoom, err := storageLeft(ctx, tx)
	switch {
	case err != nil:
		return err
	case planRoom < 0:
		_, limit, err := Storage(ctx, tx.Reader)
		return errors.Join(err, StorageFull(limit-planRoom, limit))
	case pendingRoom < 0:
		return ErrStorageLimit.With(
			fmt.Sprintf("unconfirmed uploads of the shop may have at most %d bytes; confirm or delete some", MaxPendingBytes),
		)
	}
	return nil
}

// storageLeft returns how many bytes fit into the plan and into the pending limit; negative:
// already exceeded.
func storageLeft(ctx context.Context, tx *store.Tx) (planRoom, pendingRoom int64, err error) {
	used, limit, err := Storage(ctx, tx.Reader)
	if err != nil {
		return 0, 0, err
	}
	stored, spooled, err := pending(ctx, tx.Reader)
	planRoom, pendingRoom = limit-used-stored, MaxPendingBytes-stored-spooled
	if limit == 0 {
		planRoom = max(pendingRoom, 0)
	}
	return planRoom, pendingRoom, err
}
