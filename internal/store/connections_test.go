package store_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/await"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// limited returns the URL of a database for a role that may have a number of connections: the server
// refuses more of them as it does beyond max_connections, with SQLSTATE 53300.
func limited(t *testing.T, connections string) string {
	t.Helper()
	address := storetest.URL(t, store.Migrate)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var database string
	if err := conn.QueryRow(t.Context(), `SELECT current_database()`).Scan(&database); err != nil {
		t.Fatal(err)
	}
	role := "few_" + database
	for _, sql := range []string{
		`CREATE ROLE ` + pgx.Identifier{role}.Sanitize() + ` LOGIN PASSWORD 'few' CONNECTION LIMIT ` + connections,
		`GRANT pg_read_all_data, pg_write_all_data TO ` + pgx.Identifier{role}.Sanitize(),
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), address)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(context.Background())
		for _, sql := range []string{`DROP OWNED BY `, `DROP ROLE `} {
			if _, err := conn.Exec(context.Background(), sql+pgx.Identifier{role}.Sanitize()); err != nil {
				t.Error(err)
			}
		}
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "few")
	return u.String()
}

// A connection that the server refuses because it has too many waits until one is free.
func TestARefusedConnectionWaits(t *testing.T) {
	t.Parallel()
	address := limited(t, "1")
	taken, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.Connect(t.Context(), address); err == nil || !isTooMany(err) {
		t.Fatalf("a second connection: %v", err)
	}
	opened, again := make(chan error, 1), make(chan bool, 100)
	go func() {
		s, err := store.Open(t.Context(), address, func(cfg *pgxpool.Config) {
			dial := cfg.ConnConfig.DialFunc
			cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				again <- true
				return dial(ctx, network, address)
			}
		})
		if err == nil {
			defer s.Close()
			err = s.Ping(t.Context())
		}
		opened <- err
	}()
	for range 3 { // refused twice
		await.Next(t, again)
	}
	if err := taken.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := await.Next(t, opened); err != nil {
		t.Error(err)
	}
}

func isTooMany(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "53300"
}

// Each process that starts takes its part of what the server has, beside those that run, unless the
// URL says how many.
func TestThePartOfAProcessDependsOnTheOthers(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.Migrate)
	limit := func(url string) int {
		t.Helper()
		s, err := store.Open(t.Context(), url, store.Budgeted(t.Context(), url))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return int(s.Pool.Config().MaxConns)
	}
	first := limit(address)
	for range 60 { // on any server there are too many of them at last
		limit(address + "&pool_max_conns=2")
	}
	if last := limit(address); first > 24 || last != 8 {
		t.Errorf("the first process takes %d connections, the last %d", first, last)
	}
	if n := limit(address + "&pool_max_conns=24"); n != 24 {
		t.Errorf("pool_max_conns=24 became %d", n)
	}
}
