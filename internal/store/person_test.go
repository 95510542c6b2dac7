package store_test

import (
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// No credential outlives its person, also in tables added later: everything that references
// people is deleted with them.
func TestDeletingAPersonDeletesTheirCredentials(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	conn, ctx := connect(t, url), t.Context()
	s, err := store.Open(ctx, url)
	must(t, err)
	t.Cleanup(s.Close)
	company := newShop(t, s, "tea")
	owner, err := peopledb.MemberWithRole(ctx, s.Shop(company), shop.Owner)
	must(t, err)
	later := time.Now().Add(time.Hour)
	must(t, peopledb.CreateSession(ctx, s, peopledb.NewSession{TokenHash: []byte("session"), Person: owner, At: later, Expires: later}))
	must(t, s.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := peopledb.IssueKey(ctx, tx, peopledb.APIKey{Person: owner, Name: "k", Contour: shop.Prod, Scopes: []shop.Scope{"catalog:read"}, CreatedAt: time.Now()}, []byte("key")); err != nil {
			return err
		}
		_, err := peopledb.Invite(
			ctx, tx, peopledb.Invitation{Email: "ann@people.test", Role: shop.Editor, InvitedBy: owner, ExpiresAt: later},
			[]byte("invitation"),
		)
		return err
	}))
	if _, err := conn.Exec(ctx, `DELETE FROM person WHERE id = $1`, owner); err != nil {
		t.Fatal(err)
	}
	left := queryTexts(t, conn, `SELECT 'member' FROM member UNION ALL SELECT 'api_key' FROM api_key
		UNION ALL SELECT 'session' FROM session UNION ALL SELECT 'invitation' FROM invitation`)
	blocking := queryTexts(
		t, conn,
		`SELECT conrelid::regclass::text FROM pg_constraint WHERE confrelid = 'person'::regclass AND confdeltype NOT IN ('c', 'n')`,
	)
	if len(left) > 0 || len(blocking) > 0 {
		t.Errorf("rows left in %v; these references block the deletion of people: %v", left, blocking)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
