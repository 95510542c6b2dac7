package store_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
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

// sharing keeps a store to its share until the test or end ends it.
func sharing(t *testing.T, s *store.Store) (end func()) {
	t.Helper()
	var shares sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	shares.Go(func() { s.ShareConnections(ctx, func(err error) { t.Log(err) }) })
	end = func() { cancel(); shares.Wait() }
	t.Cleanup(end)
	return end
}

// hold keeps connections of a store in use until leave.
func hold(t *testing.T, s *store.Store, n int) (leave func()) {
	t.Helper()
	var held []pgx.Tx
	for range n {
		tx, err := s.Pool.Begin(await.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, tx)
	}
	return func() {
		t.Helper()
		for _, tx := range held {
			if err := tx.Rollback(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}

// A process gives connections back while others start, and takes them again when they have ended, also
// while it uses all that it has. One whose URL says how many it has keeps them.
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
	becomes := func(what string, so func() bool) {
		t.Helper()
		if !await.Until(so) {
			t.Fatalf("not in time: %s; %+v", what, first.PoolStats())
		}
	}
	leave := hold(t, first, 23) // and one counts the processes
	sharing(t, first)
	sharing(t, given)
	var others []*store.Store
	for range 60 { // on any server there are too many of them at last
		others = append(others, open(address+"&pool_max_conns=2"))
	}
	becomes("the share is small", func() bool { return first.PoolStats().Limit == 8 })
	leave()
	becomes("connections are given back", func() bool { p := first.PoolStats(); return p.InUse+p.Idle <= 8 })

	leave = hold(t, first, 7)
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
	for _, s := range others {
		s.Close()
	}
	if err := await.Next(t, served); err != nil { // once the share has grown: nothing was released
		t.Error(err)
	}
	becomes("the share has grown", func() bool { return first.PoolStats().Limit > 8 })
	leave()
	if first.PoolStats().Waited == waits {
		t.Error("waits are not counted")
	}
	if n := given.PoolStats().Limit; n != 20 {
		t.Errorf("pool_max_conns=20 became %d", n)
	}
}

// While calls begin, end and are given up, and the share changes, work uses what the share leaves to it,
// and never more.
func TestNoConnectionOfAShareIsLostOrUsedTwice(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), address, store.Counted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var others []*pgx.Conn
	for range 40 {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the context of the test has ended
		others = append(others, conn)
	}
	// With processes of these numbers, the share is as small as can be; without, it may be larger.
	crowded := func(yes bool) {
		t.Helper()
		for n, conn := range others {
			name := "somebody else"
			if yes {
				name = fmt.Sprint("vitrine:", n)
			}
			if _, err := conn.Exec(t.Context(), `SELECT set_config('application_name', $1, false)`, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var begun atomic.Int64
	var calls sync.WaitGroup
	for n := range 60 {
		calls.Go(func() {
			for ctx.Err() == nil {
				within, cancel := context.WithCancel(ctx)
				if n%2 == 0 { // it is given up while it waits, connects or runs
					go func() { runtime.Gosched(); cancel() }()
				}
				_, err := s.Clock(within)
				cancel()
				if err == nil {
					begun.Add(1)
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
	for round := range 6 {
		small := round%2 == 0
		crowded(small)
		end := sharing(t, s)
		before := begun.Load()
		if !await.Until(func() bool { return (s.PoolStats().Limit == 8) == small && begun.Load() > before+100 }) {
			t.Fatalf("small: %v, %+v", small, s.PoolStats())
		}
		end()
	}
	crowded(true)
	end := sharing(t, s)
	if !await.Until(func() bool { return s.PoolStats().Limit == 8 }) {
		t.Fatalf("%+v", s.PoolStats())
	}
	end()
	stop()
	calls.Wait()

	leave := hold(t, s, 7) // none is lost
	var now, most atomic.Int64
	for range 30 {
		calls.Go(func() {
			for range 10 {
				tx, err := s.Pool.Begin(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), now.Add(1)))
				_, err = tx.Exec(t.Context(), `SELECT`)
				now.Add(-1)
				if err := errors.Join(err, tx.Rollback(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	leave()
	calls.Wait()
	if most.Load() > 7 {
		t.Errorf("%d connections were in use at once, of 7", most.Load())
	}
}
