package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// What a shop may have pending whatever its plan (CONTRACT, "Bounds").
const (
	MaxPendingBytes   = 2 << 30 // of uploads that are under way or wait for their confirmation
	MaxPendingUploads = 10_000  // files that were announced and not confirmed, those of releases included
)

// Reserved is bytes of a shop on their way into the blob store. Their hash is
// empty until it is known. Spooled ones lie in a temporary file: they count
// against MaxPendingBytes and not against the plan.
type Reserved struct {
	ID      int64
	SHA256  string
	Size    int64
	Spooled bool
}

// Pending is how many bytes of the shop are on their way into the blob store or
// out of it, or wait for the confirmation of their upload. Contents that the shop
// owns already do not count, others once.
func (r Reader) Pending(ctx context.Context) (bytes int64, err error) {
	bytes, _, err = r.pending(ctx)
	return bytes, err
}

func (r Reader) pending(ctx context.Context) (stored, spooled int64, err error) {
	err = r.q.QueryRow(ctx, `
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

// PendingUploads counts the files that were announced and are not confirmed.
func (r Reader) PendingUploads(ctx context.Context) (n int, err error) {
	err = r.q.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM media_file WHERE company_id = $1 AND status <> 'stored' AND deleted_at IS NULL)
		+ (SELECT count(*) FROM release_file f JOIN release r ON r.company_id = $1 AND r.id = f.release_id AND r.deleted_at IS NULL
			WHERE f.company_id = $1 AND f.pending)`, r.Company).Scan(&n)
	return n, err
}

// MayAnnounce refuses more uploads than a shop may have pending.
func (tx *Tx) MayAnnounce(ctx context.Context, more int) error {
	n, err := tx.PendingUploads(ctx)
	if err == nil && n+more > MaxPendingUploads {
		err = ErrStorageLimit.With(
			fmt.Sprintf("%d uploads wait for their bytes or their confirmation, of %d; finish or delete some", n, MaxPendingUploads),
		)
	}
	return err
}

// Reserve counts bytes before they are written, all of them or, beyond the plan
// or MaxPendingBytes, none, and gives the rows their ids. Whoever reserves keeps
// the reservation in the transaction that refers to the bytes, or gives it back;
// after until it is over in any case. It is committed at once, whatever call it
// belongs to.
func (s *Store) Reserve(ctx context.Context, company shop.CompanyID, want []Reserved, until time.Time) error {
	return s.reserving(ctx, company, func(tx *Tx) error {
		if err := tx.reserve(ctx, want, until); err != nil {
			return err
		}
		return tx.withinStorage(ctx)
	})
}

// ReserveUpTo reserves as many bytes of the amount as there is room for, but at
// least one: for a body of unknown length.
func (s *Store) ReserveUpTo(ctx context.Context, company shop.CompanyID, want *Reserved, until time.Time) error {
	return s.reserving(ctx, company, func(tx *Tx) error {
		plan, total, err := tx.room(ctx)
		if err != nil {
			return err
		}
		room := total
		if !want.Spooled {
			room = min(plan, total)
		}
		want.Size = max(min(want.Size, room), 1)
		one := []Reserved{*want}
		if err := tx.reserve(ctx, one, until); err != nil {
			return err
		}
		want.ID = one[0].ID
		return tx.withinStorage(ctx)
	})
}

// ReserveMade is Reserve for what the platform makes of a shop's bytes: counted,
// and safe from being removed, but not refused.
func (s *Store) ReserveMade(ctx context.Context, company shop.CompanyID, made []Reserved, until time.Time) error {
	return s.apart(ctx, company, func(tx *Tx) error { return tx.reserve(ctx, made, until) })
}

// NameReserved notes what reserved bytes turned out to be, before an object of
// them appears. It waits for a removal of the same object.
func (s *Store) NameReserved(ctx context.Context, company shop.CompanyID, r Reserved) error {
	return s.apart(ctx, company, func(tx *Tx) error {
		if err := tx.meetRemovals(ctx, []string{r.SHA256}); err != nil {
			return err
		}
		tag, err := tx.q.Exec(
			ctx, `UPDATE blob_reservation SET sha256 = $3, size = $4 WHERE company_id = $1 AND id = $2`, company, r.ID, r.SHA256,
			r.Size,
		)
		if err == nil && tag.RowsAffected() == 0 {
			err = shop.ErrUnavailable.With("the upload took too long; send it again")
		}
		return err
	})
}

// reserving is a transaction that counts a shop's bytes.
func (s *Store) reserving(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	return s.apart(ctx, company, func(tx *Tx) error {
		if err := tx.lockStorage(ctx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// apart is a transaction of its own even in a call that has one to its end.
func (s *Store) apart(ctx context.Context, company shop.CompanyID, fn func(*Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		return fn(&Tx{Reader: Reader{q: tx, Company: company}, tx: tx})
	})
}

func (tx *Tx) reserve(ctx context.Context, want []Reserved, until time.Time) error {
	hashes, sizes, spooled := make([]string, len(want)), make([]int64, len(want)), make([]bool, len(want))
	for i, r := range want {
		hashes[i], sizes[i], spooled[i] = r.SHA256, r.Size, r.Spooled
	}
	if err := tx.meetRemovals(ctx, hashes); err != nil {
		return err
	}
	rows, err := tx.q.Query(ctx, `
		INSERT INTO blob_reservation (company_id, sha256, size, spooled, until)
		SELECT $1, sha, size, spooled, $5 FROM unnest($2::text[], $3::bigint[], $4::boolean[]) WITH ORDINALITY AS w(sha, size, spooled, n)
			ORDER BY n
		RETURNING id`, tx.Company, hashes, sizes, spooled, until)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for i, id := range ids {
		want[i].ID = id
	}
	return err
}

// EndReservations forgets reservations whose bytes this transaction refers to.
func (tx *Tx) EndReservations(ctx context.Context, ids []int64) error {
	_, err := tx.q.Exec(ctx, `DELETE FROM blob_reservation WHERE company_id = $1 AND id = ANY($2)`, tx.Company, ids)
	return err
}

// GiveBack ends reservations whose bytes nothing refers to; ClearReservations
// removes what was written of them.
func (s *Store) GiveBack(ctx context.Context, company shop.CompanyID, ids []int64) error {
	_, err := s.pool.Exec(ctx, `UPDATE blob_reservation SET until = '-infinity' WHERE company_id = $1 AND id = ANY($2)`, company, ids)
	return err
}

// letGo counts bytes that the shop has no use for any more until they are
// removed, which is after the commit.
func (tx *Tx) letGo(ctx context.Context, sha string, size int64) error {
	tx.freed = true
	_, err := tx.q.Exec(
		ctx, `INSERT INTO blob_reservation (company_id, sha256, size, until) VALUES ($1, $2, $3, '-infinity')`, tx.Company,
		sha, size,
	)
	return err
}

// OnFreed sets who removes the bytes that a shop let go of, after the commit and
// before the writer's answer. Set it before the first Write.
func (s *Store) OnFreed(remove func(context.Context, shop.CompanyID)) { s.freed = remove }

// clearedAtOnce bounds a step of ClearReservations, and so the locks it takes.
const clearedAtOnce = 100

// ClearReservations forgets reservations of a shop, or of all (0), that are over,
// hands the objects among them that nothing else refers to to remove, and reports
// how many it forgot; call it until that is none. An object of the same content
// that is announced meanwhile waits, so that it appears after the removal.
func (s *Store) ClearReservations(
	ctx context.Context, company shop.CompanyID, now time.Time, remove func(context.Context, []string) error,
) (n int, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(pgTx pgx.Tx) error {
		own, args := "", []any{now, clearedAtOnce}
		if company != 0 {
			own, args = " AND company_id = $3", append(args, company)
		}
		rows, err := pgTx.Query(ctx, `
			DELETE FROM blob_reservation WHERE (company_id, id) IN (
				SELECT company_id, id FROM blob_reservation WHERE until <= $1`+own+` ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)
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
		if _, err := pgTx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('objects:' || shard, 0)) FROM `+shardsOf, hashes); err != nil {
			return err
		}
		orphans, err := unreferred(ctx, pgTx, hashes)
		if err != nil || len(orphans) == 0 {
			return err
		}
		return remove(ctx, orphans)
	})
	return n, err
}

// meetRemovals waits until none of the objects is being removed, and keeps
// removals away until the transaction has told of them.
func (tx *Tx) meetRemovals(ctx context.Context, hashes []string) error {
	_, err := tx.q.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended('objects:' || shard, 0)) FROM `+shardsOf, hashes)
	return err
}

// shardsOf are the parts of the blob store that hashes ($1) lie in, at most 256
// locks for any number of them, in one order for all.
const shardsOf = `(SELECT DISTINCT left(sha, 2) AS shard FROM unnest($1::text[]) AS sha WHERE sha <> '' ORDER BY 1) s`

// withinStorage refuses what the transaction added beyond the plan, or beyond
// what may be pending.
func (tx *Tx) withinStorage(ctx context.Context) error {
	plan, total, err := tx.room(ctx)
	switch {
	case err != nil:
		return err
	case plan < 0:
		_, limit, err := tx.Storage(ctx)
		return errors.Join(err, StorageFull(limit-plan, limit))
	case total < 0:
		return ErrStorageLimit.With(
			fmt.Sprintf("uploads of the shop have at most %d bytes until they are confirmed; confirm or delete some", MaxPendingBytes),
		)
	}
	return nil
}

// room is how many bytes fit into the plan and into what may be pending.
func (tx *Tx) room(ctx context.Context) (plan, total int64, err error) {
	used, limit, err := tx.Storage(ctx)
	if err != nil {
		return 0, 0, err
	}
	stored, spooled, err := tx.pending(ctx)
	plan, total = limit-used-stored, MaxPendingBytes-stored-spooled
	if limit == 0 {
		plan = max(total, 0)
	}
	return plan, total, err
}
