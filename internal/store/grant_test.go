package store_test

import (
	"testing"
	"time"

	"vitrine/internal/store"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// A flood of registrations neither fills the disk nor keeps a program out: it replaces the
// oldest clients that nobody let act.
func TestAFloodOfClientsKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	conn, ctx := connect(t, url), t.Context()
	s, err := store.Open(ctx, url)
	must(t, err)
	t.Cleanup(s.Close)
	register := func() string {
		t.Helper()
		id, err := peopledb.RegisterClient(ctx, s, peopledb.Client{Name: "Assistant", Redirects: []string{"https://agent.test/callback"}})
		must(t, err)
		return id
	}
	known := func(id string) bool {
		t.Helper()
		_, found, err := peopledb.ClientByID(ctx, s, id)
		must(t, err)
		return found
	}
	used, unused := register(), register()
	_, err = conn.Exec(ctx, `UPDATE oauth_client SET created_at = now() - interval '1 hour', used_at = CASE WHEN id::text = $1 THEN now() END`, used)
	must(t, err)
	_, err = conn.Exec(ctx, `INSERT INTO oauth_client (name, redirect_uris, created_at)
		SELECT 'flood', '{}', $2::timestamptz + n * interval '1 ms' FROM generate_series(1, $1) n`, peopledb.MaxUnusedClients, time.Now().Add(-time.Minute))
	must(t, err)
	late := register()
	if !known(late) || !known(used) || known(unused) {
		t.Errorf("after a flood: new %v, used %v, oldest unused %v", known(late), known(used), known(unused))
	}
	if n := queryTexts(t, conn, `SELECT count(*)::text FROM oauth_client WHERE used_at IS NULL`); n[0] != "10000" {
		t.Errorf("%s unused clients", n[0])
	}
}
