package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
)

// While the last rows of a shop that moves to another installation are copied, and once it has gone
// (package move), its rows must not change: what was acknowledged then would be lost. A trigger on all
// tables of shops asks for every row (migration 0181), and fails the statement. Three kinds of
// transactions say that it need not.
const (
	writes = `; SET LOCAL vitrine.writes = `

	// asking: the transaction asks before its commit (mayWrite). So a long one is not waited for.
	asking = "asks"

	// ofPeople: the transaction is about people, and changes what they have in shops that have gone, too.
	ofPeople = "people"

	// beside: what is written about a shop that moves may get lost, or has no meaning elsewhere.
	beside = "beside"
)

// mayWrite is the last statement of a transaction on a shop.
const mayWrite = `SELECT public.shop_writes($1::integer)`

// LeftBehind says why the rows of a table do not move with their shop. Those of all other tables with a
// company_id do, and are written as above.
var LeftBehind = map[string]string{
	"blob_reservation": "uploads in progress, which end as failed",
	"company_change":   "the versions of the shop here",
	"job":              "work of this installation; files of exports are made again",
	"oauth_code":       "what people allowed programs at this installation's address",
	"oauth_token":      "what people allowed programs at this installation's address",
	"rate_count":       "calls of the last minutes",
	"shop_move":        "the move itself",
	"shop_move_person": "the move itself",
	"site_file_build":  "built again from the site file",
	"site_file_copy":   "built again from the site file",
	"visit_mark":       "today's visitors, hashed with a salt of this installation",
}

// unguarded are the tables without the trigger: nothing of them moves, and workers write rows of many
// shops at once. The trigger on company_change sees each write of an earlier release.
func unguarded() (names []string) {
	for name := range LeftBehind {
		if name != "company_change" {
			names = append(names, name)
		}
	}
	return names
}

// guardShops puts the trigger on the tables of shops that lack it, on one after the other, so that
// nobody waits for all of them.
func guardShops(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `
		SELECT 'CREATE OR REPLACE TRIGGER shop_frozen AFTER INSERT OR UPDATE OR DELETE ON ' || c.oid::regclass || $t$
			FOR EACH ROW WHEN (coalesce(current_setting('vitrine.writes', true), '') NOT IN ('asks', 'beside')) EXECUTE FUNCTION public.shop_frozen()$t$
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id' AND NOT a.attisdropped
		WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'draft'::regnamespace)
			AND NOT (c.relnamespace = 'public'::regnamespace AND c.relname = ANY($1))
			AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'shop_frozen')
		ORDER BY c.relname`, unguarded())
	if err != nil {
		return err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return err
		}
		list = append(list, statement)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, statement := range list {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("guard the tables of shops that move: %w", err)
		}
	}
	return nil
}

// Beginner begins transactions that say how they write to shops.
type Beginner struct {
	store *Store
	how   string
}

// People begins transactions about people.
func (s *Store) People() Beginner { return Beginner{s, ofPeople} }

// Beside begins transactions whose writes may get lost when a shop moves.
func (s *Store) Beside() Beginner { return Beginner{s, beside} }

// Begin begins a transaction, in one round trip.
func (b Beginner) Begin(ctx context.Context) (pgx.Tx, error) {
	return b.store.Pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: "BEGIN" + b.store.setup + writes + b.how})
}

// Exec runs one statement, in one round trip.
func (b Beginner) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	batch := &pgx.Batch{} // one transaction
	batch.Queue(`SELECT set_config('vitrine.writes', $1, true)`, b.how)
	batch.Queue(sql, args...).Exec(func(done pgconn.CommandTag) error { tag = done; return nil })
	return tag, b.store.Pool.SendBatch(ctx, batch).Close()
}

// ErrMoving is returned to writers to a shop that moves. The caller finds it there.
var ErrMoving = shop.Refuse(shop.Unavailable, shop.ErrUnavailable.Code).When(shop.ErrUnavailable.Meaning).
	With("the shop is moving to another server; try again").RetryAfter(1)

// IsMoving reports whether a write was refused because its shop moves.
func IsMoving(err error) bool {
	var pg *pgconn.PgError
	return errors.Is(err, ErrMoving) || errors.As(err, &pg) && pg.Code == "VMOVE"
}

func moving(err error) error {
	if IsMoving(err) {
		return ErrMoving
	}
	return err
}

// NotMoving returns a condition: the shop whose id is in a column does not move. If it does, the other
// installation does its work. The move waits for the transaction.
func NotMoving(column string) string { return `shop_free(` + column + `)` }

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
