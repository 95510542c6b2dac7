package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/company"
	peopledb "vitrine/internal/store/people"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// A flood of notifications does not fill the disk, and old ones are deleted.
func TestNotificationsAreBounded(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), storetest.URL(t, store.Migrate)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the database goes with the test
	s, err := store.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	owner, err := peopledb.CreatePerson(ctx, s, "ann@people.test", "Ann", "x")
	if err != nil {
		t.Fatal(err)
	}
	company, err := company.CreateCompany(ctx, s, "tea", "Tea", "EUR", owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (n int) {
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM payment_notice`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	err = s.Write(ctx, company, func(tx *store.Tx) error {
		for n := range 1100 {
			if err := salesdb.RecordNotice(ctx, tx, "sandbox", fmt.Sprint("sb_", n), []byte("{}")); err != nil {
				return err
			}
		}
		return nil
	})
	if n := kept(); err != nil || n != 1000 {
		t.Errorf("%d are stored, %v", n, err)
	}
	if err := salesdb.SweepNotices(ctx, s, time.Now().Add(time.Hour)); err != nil || kept() != 0 {
		t.Errorf("%d are left, %v", kept(), err)
	}
}
