package dump

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Snapshot is one moment of a database.
type Snapshot struct {
	url    string
	name   string // by which pg_dump sees the same rows
	tx     pgx.Tx
	server int // major version
}

// Take runs fn with a snapshot of the database at an address, which must be that of the server
// itself: a pooler gives the snapshot to other clients.
func Take(ctx context.Context, url string, fn func(*Snapshot) error) (err error) {
	conn, server, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	s := &Snapshot{url: url, tx: tx, server: server}
	if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&s.name); err != nil {
		return err
	}
	return fn(s)
}

// connect opens a session and returns the major version of its server.
func connect(ctx context.Context, url string) (conn *pgx.Conn, server int, err error) {
	if conn, err = store.Connect(ctx, url); err != nil {
		return nil, 0, err
	}
	if err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&server); err != nil {
		return nil, 0, errors.Join(err, conn.Close(ctx))
	}
	return conn, server, nil
}

// Schema returns the highest applied migration, and the newest one that a program must know.
func (s *Snapshot) Schema(ctx context.Context) (version, needs int64, err error) {
	return store.SchemaOf(ctx, s.tx)
}

// Server is the major version of PostgreSQL.
func (s *Snapshot) Server() int { return s.server }

// Rows counts the rows of each table.
func (s *Snapshot) Rows(ctx context.Context) (map[string]int64, error) { return rowsOf(ctx, s.tx) }

// Objects calls each with every object of the blob store that a row needs, in the order of the
// hashes.
func (s *Snapshot) Objects(ctx context.Context, each func(sha string) error) error {
	return media.EachReferenced(ctx, s.tx, each)
}

// Write writes the database to w, in the custom format of pg_dump. Owners and privileges are left
// out: those of the target are others.
func (s *Snapshot) Write(ctx context.Context, w io.Writer) error {
	path, err := find(ctx, "pg_dump", s.server)
	if err != nil {
		return err
	}
	return run(ctx, path, s.url, nil, w, "--format=custom", "--compress=1", "--no-owner", "--no-privileges", "--lock-wait-timeout=60000", "--snapshot="+s.name)
}

// tables is a condition on pg_class c and its namespace n: a table of this database, not of the
// server or an extension.
const tables = `c.relkind IN ('r', 'p') AND left(n.nspname, 3) <> 'pg_' AND n.nspname <> 'information_schema'
	AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`

func rowsOf(ctx context.Context, db store.Querier) (map[string]int64, error) {
	rows, err := db.Query(ctx, `SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE `+tables+` ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (name pgx.Identifier, err error) {
		name = make(pgx.Identifier, 2)
		return name, row.Scan(&name[0], &name[1])
	})
	counts := make(map[string]int64, len(names))
	for _, name := range names {
		var n int64
		if err == nil {
			err = db.QueryRow(ctx, `SELECT count(*) FROM `+name.Sanitize()).Scan(&n)
		}
		counts[name[0]+"."+name[1]] = n
	}
	if err != nil {
		return nil, fmt.Errorf("count rows: %w", err)
	}
	return counts, nil
}
