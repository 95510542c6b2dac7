package store_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
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

// A process gives connections back while others start, and takes them again when they have ended. One
// whose URL says how many it has keeps them.
func TestTheShareOfAProcessFollowsTheOthers(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.Migrate)
	open := func(url string) *store.Store {
		t.Helper()
		s, err := store.Open(t.Context(), url, store.Counted)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	first, given := open(address), open(address+"&pool_max_conns=20")
	hold := func(n int) (leave func()) { // and with them as many connections
		var held []pgx.Tx
		for range n {
			tx, err := first.Pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, tx)
		}
		return func() {
			for _, tx := range held {
				if err := tx.Rollback(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	}
	becomes := func(what string, so func() bool) {
		t.Helper()
		if !await.Until(so) {
			t.Fatalf("not in time: %s; %+v", what, first.PoolStats())
		}
	}
	leave := hold(12)
	var others []*store.Store
	for range 60 { // on any server there are too many of them at last
		others = append(others, open(address+"&pool_max_conns=2"))
	}
	// From here on: a process whose share is in use cannot count the others.
	for _, s := range []*store.Store{first, given} {
		var shares sync.WaitGroup
		ctx, end := context.WithCancel(t.Context())
		shares.Go(func() { s.ShareConnections(ctx, func(err error) { t.Log(err) }) })
		t.Cleanup(func() { end(); shares.Wait() })
	}
	becomes("the share is small", func() bool { return first.PoolStats().Limit == 8 })
	leave()
	becomes("connections are given back", func() bool { p := first.PoolStats(); return p.InUse+p.Idle <= 8 })

	leave = hold(8)
	waits := first.PoolStats().Waited
	late, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() { _, err := first.Clock(late); refused <- err }()
	cancel()
	if err := await.Next(t, refused); !errors.Is(err, context.Canceled) {
		t.Errorf("a call beyond the share ended with %v", err)
	}
	served := make(chan error, 1)
	go func() { _, err := first.Clock(t.Context()); served <- err }()
	leave()
	if err := await.Next(t, served); err != nil {
		t.Error(err)
	}
	if first.PoolStats().Waited == waits {
		t.Error("waits are not counted")
	}
	for _, s := range others {
		s.Close()
	}
	becomes("the share has grown", func() bool { return first.PoolStats().Limit > 8 })
	if n := given.PoolStats().Limit; n != 20 {
		t.Errorf("pool_max_conns=20 became %d", n)
	}
}
