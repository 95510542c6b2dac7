package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The connections of all processes on a server share max_connections.
const (
	// processName is the beginning of the application_name of a process, by which others count it.
	processName = "vitrine:"

	spareConns = 10 // for commands and other programs
	leastConns = 8  // of a process
)

// Budgeted gives a process that starts its part of the connections of the server, by the processes
// that have some. pool_max_conns in the database URL goes before that.
func Budgeted(ctx context.Context, url string) ConnOption {
	return func(cfg *pgxpool.Config) {
		if cfg.ConnConfig.RuntimeParams["application_name"] == "" {
			cfg.ConnConfig.RuntimeParams["application_name"] = newProcessName()
		}
		if plain, err := pgconn.ParseConfig(url); err != nil || plain.RuntimeParams["pool_max_conns"] != "" {
			return
		}
		c := cfg.ConnConfig.Copy()
		persist(&c.Config)
		conn, err := pgx.ConnectConfig(ctx, c)
		if err != nil {
			return // Open says what is wrong
		}
		defer conn.Close(context.WithoutCancel(ctx))
		var most, processes int
		if err := conn.QueryRow(ctx, `
			SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
				(SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE left(application_name, length($1::text)) = $1)`, processName).Scan(&most, &processes); err == nil {
			cfg.MaxConns = int32(min(maxConns, max(leastConns, (most-spareConns)/max(1, processes))))
		}
	}
}

// newProcessName names a process, with the newest migration that it knows.
func newProcessName() string {
	newest, err := newestMigration()
	if err != nil {
		newest = 0 // the migrations are part of the program
	}
	return fmt.Sprintf("%s%s:%d", processName, uuid.NewString(), newest)
}

// OlderProcesses counts the processes at work with a database that know less migrations than this one.
func OlderProcesses(ctx context.Context, db Querier) (n int, err error) {
	newest, err := newestMigration()
	if err == nil {
		err = db.QueryRow(ctx, `
			SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE datname = current_database() AND left(application_name, length($1::text)) = $1
				AND coalesce(nullif(split_part(application_name, ':', 3), '')::bigint, 0) < $2`, processName, newest).Scan(&n)
	}
	return n, err
}

// refusedWaits are the waits after the server has refused a connection because it has too many.
var refusedWaits = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second, 3 * time.Second}

const tooManyConnections = "53300"

// errRefused ends the attempts of a connection that failed for another reason.
var errRefused = errors.New("the server refused the connection")

// persist makes one connection try again while the server has too many. Other failures are errors at
// once.
func persist(cfg *pgconn.Config) {
	again := &pgconn.FallbackConfig{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}
	own := 1 + len(cfg.Fallbacks) // hosts, or with and without TLS
	cfg.Fallbacks = append(slices.Clone(cfg.Fallbacks), slices.Repeat([]*pgconn.FallbackConfig{again}, len(refusedWaits))...)
	dial, refused, connected, attempts := cfg.DialFunc, cfg.OnPgError, cfg.AfterConnect, 0
	tooMany, done := false, false
	cfg.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		tooMany = err.Code == tooManyConnections
		return refused == nil || refused(c, err)
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		done = true // the connection dials again to cancel statements
		if connected == nil {
			return nil
		}
		return connected(ctx, c)
	}
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if attempts++; attempts <= own || done {
			return dial(ctx, network, address)
		}
		if !tooMany {
			return nil, errRefused
		}
		tooMany = false
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(refusedWaits[min(attempts-own, len(refusedWaits))-1]):
		}
		return dial(ctx, network, address)
	}
}
