package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// readiness is the answer of /readyz; empty if there is none.
func (p *program) readiness() (int, string) {
	response, err := http.Get("http://" + p.ops + "/readyz")
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(body)
}

// Processes that start before "vitrine migrate" wait for it, say so, and go on by themselves.
func TestProcessesWaitForTheSchema(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+storetest.Clone(t, "no tables", func(context.Context, string) error { return nil })+fewConnections)
	r := p.launch("serve")
	wait(t, "it says what it waits for", func() bool { return strings.Contains(r.stderr.String(), "schema: run vitrine migrate") })
	if status, text := p.readiness(); status == 200 {
		t.Errorf("it is ready: %q", text)
	}
	p.verb("migrate")
	wait(t, "it goes on", func() bool { status, _ := p.readiness(); return status == 200 })
	p.shop("tea")
	if status, _, _ := p.visit("tea", "/"); status != 200 {
		t.Errorf("its page: %d", status)
	}
}

// A database that a much later release has migrated: running processes leave the balancer, and
// others refuse to start.
func TestANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	url := storetest.URL(t, store.Migrate)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url+fewConnections)
	p.start()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	exec := func(sql string) {
		t.Helper()
		if _, err := s.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 1000, true FROM goose_db_version`)
	wait(t, "it is not ready", func() bool {
		status, text := p.readiness()
		return status == 503 && strings.HasPrefix(text, "schema: ")
	})
	for _, args := range [][]string{{"serve"}, {"edge"}, {"shop", "list"}, {"migrate"}} {
		other := *p
		other.env = append(p.env, "VITRINE_EDGE_LISTEN="+freeAddress(t), "VITRINE_ADMIN_LISTEN="+freeAddress(t), "VITRINE_OPS_LISTEN="+freeAddress(t))
		if out, said, err := other.run(args...); err == nil || len(out) != 0 || !strings.Contains(said, "schema: ") {
			t.Errorf("%v: %v, printed %q and %q", args, err, out, said)
		}
	}
	exec(`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)
	wait(t, "it is ready again", func() bool { status, _ := p.readiness(); return status == 200 })
}
