package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
)

// mayWrite is the last statement of a transaction on a shop. It is refused while the last rows of a
// shop that moves to another installation are copied, and once it has gone (package move).
const mayWrite = `SELECT public.shop_writes($1::integer)`

// ErrMoving is returned to writers to a shop that moves. The caller finds it there.
var ErrMoving = shop.Refuse(shop.Unavailable, shop.ErrUnavailable.Code).When(shop.ErrUnavailable.Meaning).
	With("the shop is moving to another server; try again").RetryAfter(1)

func moving(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "VMOVE" {
		return ErrMoving
	}
	return err
}

// NotMoving returns a condition: the shop whose id is in a column is not one that moves here or has gone
// to another installation, which does its work.
func NotMoving(column string) string {
	return `NOT EXISTS (SELECT FROM shop_move moves WHERE moves.company_id = ` + column + `)`
}

// errWhichShop is returned for an id that several shops have: a shop that comes from another installation
// keeps its ids.
var errWhichShop = shop.ErrInvalidRequest.With("several shops have this id: name the shop").About("company_id")

// OnlyShop returns the shop of a row that a statement finds by its id, 0 if there is none.
func (s *Store) OnlyShop(ctx context.Context, sql string, args ...any) (company shop.CompanyID, err error) {
	rows, err := s.Pool.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
	switch {
	case err != nil || len(list) == 0:
		return 0, err
	case len(list) > 1:
		return 0, errWhichShop
	}
	return list[0], nil
}
