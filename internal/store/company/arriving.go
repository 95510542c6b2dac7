package company

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// A shop that a job fills from a file is arriving: it has no member, and no function that finds shops
// by address finds it. Arrive ends this. A job that begins again deletes the shop of its last attempt,
// so that it leaves one shop or none.

// Arriving describes a shop that a job is about to fill.
type Arriving struct {
	Job                  shop.JobID
	Slug, Name, Currency string
	PriceDigits          int
}

// CreateArriving adds the shop of a job. It has none of the things that a new shop begins with.
func CreateArriving(ctx context.Context, s *store.Store, a Arriving) (id shop.CompanyID, err error) {
	err = s.Write(ctx, 0, func(tx *store.Tx) error {
		err := tx.DB.QueryRow(ctx, `
			INSERT INTO company (slug, name, currency, price_digits, import_job) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
			a.Slug, a.Name, a.Currency, a.PriceDigits, a.Job).Scan(&id)
		tx.Company = id
		return err
	})
	return id, slugTaken(err, a.Slug)
}

// Arrive makes the shop of a job that is complete an ordinary one with its owner, in the transaction
// that ends the job. A closed shop has no PIN yet. It returns store.ErrShopNotFound if another attempt
// has deleted the shop.
func Arrive(ctx context.Context, tx *store.Tx, id shop.CompanyID, job shop.JobID, owner shop.UserID, closed bool) error {
	tag, err := tx.DB.Exec(ctx, `UPDATE company SET import_job = NULL, closed = $3 WHERE id = $1 AND import_job = $2`, id, job, closed)
	if err == nil && tag.RowsAffected() == 0 {
		err = store.ErrShopNotFound
	}
	if err != nil {
		return err
	}
	tx.Company = id
	tx.Changed(shop.Key{Kind: shop.KeyShop}) // edges forget that no shop has the host
	return addOwner(ctx, tx, owner)
}

// DropArriving deletes the shop of a job, if it has one.
func DropArriving(ctx context.Context, s *store.Store, job shop.JobID) error {
	return dropArriving(ctx, s, `import_job = $1`, job)
}

// SweepArriving deletes the shops whose job has ended without them.
func SweepArriving(ctx context.Context, s *store.Store) error {
	return dropArriving(ctx, s, `import_job IS NOT NULL AND NOT EXISTS (
		SELECT FROM job j WHERE j.id = import_job AND j.state IN ('queued', 'running'))`)
}

func dropArriving(ctx context.Context, s *store.Store, which string, args ...any) error {
	rows, err := s.Pool.Query(ctx, `SELECT id, import_job FROM company WHERE `+which, args...)
	if err != nil {
		return err
	}
	type arriving struct {
		id  shop.CompanyID
		job shop.JobID
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a arriving, err error) {
		return a, row.Scan(&a.id, &a.job)
	})
	for _, a := range list {
		_, dropped := deleteCompany(ctx, s, a.id, func(d Deleted, _ bool) bool { return d.Arriving == a.job }) // it may have arrived meanwhile
		if !errors.Is(dropped, store.ErrShopNotFound) {
			err = errors.Join(err, dropped)
		}
	}
	return err
}

// SlugFree reports whether no shop has a slug, neither a deleted nor an arriving one.
func SlugFree(ctx context.Context, r store.Reader, slug string) (free bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM company WHERE slug = $1)`, slug).Scan(&free)
	return free, err
}
