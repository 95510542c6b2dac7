package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// While the database accepts no writes, visitors see the shop, also pages that no process has in memory,
// and writes are refused with the reason. Afterwards the processes write again, on new connections.
func TestAReadOnlyDatabaseRefusesWritesOnly(t *testing.T) {
	t.Parallel()
	t.Run("set by its operator", func(t *testing.T) {
		t.Parallel()
		url := storetest.URL(t, store.Migrate)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the context of the test has ended
		do := func(sql string) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		refusesWritesOnly(t, url, func() {
			do(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`)
			do(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		}, func() {
			do(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$`)
		})
	})
	t.Run("a primary that becomes a standby", func(t *testing.T) {
		t.Parallel()
		db := newReplica(t)
		refusesWritesOnly(t, db.cluster.URL(), db.demote, db.promote)
	})
}

func refusesWritesOnly(t *testing.T, url string, begin, end func()) {
	t.Helper()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url+fewConnections)
	key := p.shop("tea")
	p.start()
	item := func(name string) map[string]any {
		return map[string]any{"item": map[string]any{"name": name, "is_published": true}}
	}
	product := func(name string) (int, string) {
		t.Helper()
		status, body, err := p.try(key, http.MethodPost, "/products", item(name))
		if err != nil {
			t.Fatal(err)
		}
		return status, string(body)
	}
	shown := "/product/" + itoa(p.must(key, http.MethodPost, "/products", item("Oolong"))["id"])
	begin()

	wait(t, "writes are refused with the reason", func() bool {
		status, body := product("Matcha")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "the database accepts no writes")
	})
	for _, path := range []string{"/", shown, "/?q=1", "/search?q=oolong"} {
		if status, _, body := p.visit("tea", path); status != 200 {
			t.Errorf("GET %s: %d %.300s", path, status, body)
		}
	}
	// A session is a write, and so are the counts of calls and attempts.
	for path, body := range map[string]any{
		"/v1/auth/login": map[string]any{"email": "tea@example.test", "password": "a long password"}, "/v1/auth/guest": nil, "/products/batch": map[string]any{"items": []any{item("A")}},
	} {
		if status, got, err := p.try(key, http.MethodPost, path, body); err != nil || status != 503 || !strings.Contains(string(got), "no writes") {
			t.Errorf("POST %s: %v %d %s", path, err, status, got)
		}
	}
	if status, text := p.askOps("/readyz"); status != 200 {
		t.Errorf("the process is not ready: %d %s", status, text)
	}

	end()
	wait(t, "writes succeed again", func() bool { status, _ := product("Matcha"); return status == http.StatusOK })
	for n := range 20 { // on all connections
		if status, body := product("Tea" + string(rune('a'+n))); status != http.StatusOK {
			t.Errorf("afterwards: %d %s", status, body)
		}
	}
}
