package upkeep_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/upkeep"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/storetest"
)

// sessions gives the shop sessions of an assistant, each with the cart of a guest, that expire at a time.
func (h fixture) sessions(name, state string, n int, expires time.Time) {
	h.t.Helper()
	if _, err := h.Store.Pool.Exec(h.t.Context(), `
		WITH platform AS (
			INSERT INTO assist_platform (company_id, protocol, name) VALUES ($1, 'acp', $2::text) RETURNING id),
		guest AS (
			INSERT INTO person (email, name, password_hash) SELECT '', $2::text, '-' FROM generate_series(1, $4::integer) RETURNING id),
		carts AS (
			INSERT INTO cart (company_id, person_id, updated_at) SELECT $1, id, $6 FROM guest)
		INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, signed, input, state, created_at, updated_at, expires_at)
		SELECT $1, $2 || g.id, 'purchase', p.id, g.id, false, '{}', $3, $6, $6, $5 FROM guest g, platform p`,
		h.Shop.ID, name, state, n, expires, h.Clock.Now()); err != nil {
		h.t.Fatal(err)
	}
}

// remaining returns how many sessions and carts of an assistant there are.
func (h fixture) remaining(name string) (sessions, carts int) {
	h.t.Helper()
	if err := h.Store.Pool.QueryRow(h.t.Context(), `
		SELECT (SELECT count(*) FROM assist_session s JOIN assist_platform p ON p.company_id = s.company_id AND p.id = s.platform_id WHERE p.name = $1),
			(SELECT count(*) FROM cart c JOIN person p ON p.id = c.person_id WHERE p.name = $1)`, name).Scan(&sessions, &carts); err != nil {
		h.t.Fatal(err)
	}
	return sessions, carts
}

// Sessions of assistants are deleted some time after their end, with the carts that were theirs alone. The
// cart of one that the buyer has opened is the buyer's.
func TestSessionsOfAssistantsAreDeletedWithTheirCarts(t *testing.T) {
	h := open(t)
	end := h.Clock.Now().Add(-upkeep.SessionsLeft)
	for name, c := range map[string]struct {
		state    string
		end      time.Time
		sessions int
		carts    int
	}{
		"open": {"open", end.Add(-time.Second), 0, 0}, "canceled": {"canceled", end.Add(-time.Second), 0, 0}, "opened": {"handed_off", end.Add(-time.Second), 0, 3},
		"recent": {"open", end.Add(time.Second), 3, 3}, "ordered": {"completed", end.Add(-time.Second), 0, 3}, "many": {"open", end.Add(-time.Hour), 0, 0},
	} {
		n := 3
		if name == "many" {
			n = 2*store.SweepBatch + 1
		}
		h.sessions(name, c.state, n, c.end)
		h.round()
		if sessions, carts := h.remaining(name); sessions != c.sessions || carts != c.carts {
			t.Errorf("%s: %d sessions and %d carts are left, want %d and %d", name, sessions, carts, c.sessions, c.carts)
		}
	}
}

// Among 100,000 open sessions the sweep reads only those that are over, and their carts; also where these
// are more than one batch.
func TestTheSweepOfSessionsReadsOnlyWhatIsOver(t *testing.T) {
	h := open(t)
	now := h.Clock.Now()
	h.sessions("open", "open", 100_000, now.Add(time.Hour))
	for _, over := range []int{10, 4 * store.SweepBatch} {
		h.sessions(fmt.Sprint("over ", over), "open", over, now.Add(-time.Hour))
		if _, err := h.Store.Pool.Exec(t.Context(), `ANALYZE cart; ANALYZE assist_session`); err != nil {
			t.Fatal(err)
		}
		h.Sent.Take()
		if err := assist.Sweep(t.Context(), h.Store, now.AddDate(-1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		sent := slices.DeleteFunc(h.Sent.Take(), func(s storetest.Statement) bool { return !strings.Contains(s.SQL, "assist_session") })
		if len(sent) != 1 {
			t.Fatalf("%d statements", len(sent))
		}
		sent[0].Args[0] = now
		rows, plan := storetest.RowsRead(t, h.Store.Pool, sent[0].SQL, sent[0].Args...)
		most := 2 * float64(min(over, store.SweepBatch)) // each is found, and found again to be deleted
		if rows["assist_session"] > most || rows["cart"] > most || rows["cart"] == 0 {
			t.Errorf("with %d over, %v rows were read: %s", over, rows, plan)
		}
	}
}
