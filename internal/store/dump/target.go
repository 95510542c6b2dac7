package dump

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Target is the database of a restore.
type Target struct {
	url    string
	conn   *pgx.Conn
	server int
}

// ErrBusy is returned while an earlier restore into the database has not ended.
var ErrBusy = errors.New("pg_restore of an interrupted restore is still working on the database; try again when it has ended")

// Into runs fn with the database at an address, which no process migrates meanwhile.
func Into(ctx context.Context, url string, fn func(*Target) error) (err error) {
	conn, server, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := store.HoldMigrations(ctx, conn); err != nil {
		return err
	}
	return fn(&Target{url, conn, server})
}

// Tables counts the tables. Of a program's own, a database that was never used has none.
func (t *Target) Tables(ctx context.Context) (n int, err error) {
	err = t.conn.QueryRow(ctx, `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE `+tables).Scan(&n)
	return n, err
}

// Installation returns the id in the record of the database; the zero value if there is none.
func (t *Target) Installation(ctx context.Context) (id uuid.UUID, err error) {
	var there bool
	err = t.conn.QueryRow(ctx, `SELECT to_regclass('public.installation') IS NOT NULL`).Scan(&there)
	if err != nil || !there {
		return id, err
	}
	if err = t.conn.QueryRow(ctx, `SELECT id FROM public.installation`).Scan(&id); store.NoRow(err) {
		err = nil
	}
	return id, err
}

// Load fills the empty database from a dump, all or nothing, and prepares it for queries.
func (t *Target) Load(ctx context.Context, r io.Reader) error {
	path, err := find(ctx, "pg_restore", t.server)
	if err != nil {
		return err
	}
	var busy bool
	err = t.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pg_restore')`).Scan(&busy)
	if err == nil && busy {
		err = ErrBusy
	}
	if err == nil {
		err = run(ctx, path, t.url, r, nil, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
	}
	if err == nil {
		if _, err = t.conn.Exec(ctx, `ANALYZE`); err != nil {
			err = fmt.Errorf("analyze: %w", err)
		}
	}
	return err
}

// Rows counts the rows of each table.
func (t *Target) Rows(ctx context.Context) (map[string]int64, error) { return rowsOf(ctx, t.conn) }

// Objects calls each with every object of the blob store that a row needs, in the order of the
// hashes.
func (t *Target) Objects(ctx context.Context, each func(sha string) error) error {
	return media.EachReferenced(ctx, t.conn, each)
}
