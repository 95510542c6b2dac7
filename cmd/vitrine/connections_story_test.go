package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store/storetest"
)

// Processes start one after another on a server with few connections, while all of them are busy. The
// server refuses none of their connections, each keeps to its share, and that of one that was killed goes
// to the others.
func TestProcessesShareTheConnectionsOfAServer(t *testing.T) {
	t.Parallel()
	db := (&replica{t: t, dir: storetest.Dir(t), most: 40}).create()
	list := sharing(t, 3)
	for _, p := range list {
		p.env = append(p.env, "VITRINE_DATABASE_URL="+db.cluster.URL())
	}
	var keys []string
	for n := range 4 {
		keys = append(keys, list[0].shop(fmt.Sprint("shop", n)))
	}
	conn, err := pgx.Connect(t.Context(), db.cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) }) // the server may have stopped

	begun, seen := map[*program]*running{}, &tally{}
	var calls sync.WaitGroup
	t.Cleanup(calls.Wait)
	// crowd lets twelve people of each shop call a process at once; their calls wait until leave.
	crowd := func(p *program) (leave func()) {
		t.Helper()
		tx, err := conn.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), `LOCK TABLE product`)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			for range 12 {
				calls.Go(func() {
					status, _, err := p.try(key, http.MethodGet, "/products", nil)
					if err != nil {
						t.Error(err)
					}
					seen.add(status)
				})
			}
		}
		return func() {
			t.Helper()
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			calls.Wait()
		}
	}
	limits := func(n int) bool {
		for p := range begun {
			if p.series("vitrine_database_connections_limit") != float64(n) {
				return false
			}
		}
		return true
	}
	shares := func(n int) {
		t.Helper()
		wait(t, fmt.Sprintf("each of %d processes has its share", len(begun)), func() bool {
			var open, most int
			err := conn.QueryRow(t.Context(), `SELECT sum(n)::int, max(n)::int FROM (SELECT count(*) AS n FROM pg_stat_activity
				WHERE starts_with(application_name, 'vitrine:') GROUP BY application_name) AS of`).Scan(&open, &most)
			if err != nil {
				t.Fatal(err)
			}
			return limits(n) && most <= n && open <= n*len(begun)
		})
	}
	for i, share := range []int{24, 13, 9} { // of 40, without 3 for superusers and 10 for others
		leave := func() {}
		if i > 0 {
			leave = crowd(list[i-1])
			wait(t, "calls wait for connections", func() bool {
				return list[i-1].series("vitrine_database_connections_in_use") >= 8
			})
		}
		begun[list[i]] = list[i].start()
		wait(t, "the processes have counted each other", func() bool { return limits(share) })
		leave()
		shares(share)
	}
	begun[list[0]].kill()
	delete(begun, list[0])
	shares(13)
	crowd(list[1])()
	shares(13)
	seen.only(t, "the people of the shops", http.StatusOK)
	log, err := os.ReadFile(filepath.Join(db.dir, "pg", "postgres.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "too many clients") || strings.Contains(line, "connection slots") {
			t.Errorf("the server refused: %s", line)
		}
	}
}
