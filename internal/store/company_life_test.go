package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// The rows of a deleted shop are gone from every table that has a company_id, also of
// future migrations, and another shop keeps all of its rows.
func TestDeletingAShopRemovesAllItsRows(t *testing.T) {
	t.Parallel()
	url := storetest.ManyShops(t, store.Migrate)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tables, err := company.TenantTables(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	const deleted, other = shop.CompanyID(1001), shop.CompanyID(1002)
	rows := func(table string, id shop.CompanyID) (n int64) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE company_id = $1`, id).Scan(&n); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		return n
	}
	before, kept := map[string]int64{}, map[string]int64{}
	for _, table := range tables {
		before[table.Name], kept[table.Name] = rows(table.Name, deleted), rows(table.Name, other)
	}
	held, err := s.Follow(t.Context(), store.Moment{})
	if err != nil {
		t.Fatal(err)
	}
	removed, err := company.DeleteCompany(t.Context(), s, deleted)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if n := rows(table.Name, deleted); n != 0 {
			t.Errorf("%d rows of %s are left", n, table.Name)
		}
		if n := rows(table.Name, other); n != kept[table.Name] {
			t.Errorf("another shop had %d rows of %s and has %d", kept[table.Name], table.Name, n)
		}
		if table.Name != "company_change" && removed[table.Name] < before[table.Name] {
			t.Errorf("%s had %d rows, but %d are reported as removed", table.Name, before[table.Name], removed[table.Name])
		}
	}
	if removed["product"] < 60 || len(removed) < 20 {
		t.Errorf("removed %v", removed)
	}
	if _, err := company.Info(t.Context(), s.Shop(deleted)); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("the shop itself: %v", err)
	}
	if _, err := company.DeleteCompany(t.Context(), s, deleted); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("deleting again: %v", err)
	}
	f, err := s.Follow(t.Context(), held.Now)
	if version, seen := f.Versions[deleted]; err != nil || len(f.Versions) != 1 || !seen || version != 0 || f.Reset {
		t.Errorf("processes that follow do not hear of it: %+v, %v", f, err)
	}
}

func TestADomainReplacesTheOldOneOnceActive(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	now := time.Now()
	write := func(f func(*store.Tx) error) {
		t.Helper()
		if err := s.Write(t.Context(), id, f); err != nil {
			t.Fatal(err)
		}
	}
	connect := func(domain string) {
		write(func(tx *store.Tx) error {
			return company.ConnectDomain(t.Context(), tx, domain, now, now.Add(-time.Hour))
		})
	}
	activate := func(domain string) {
		write(func(tx *store.Tx) error { return company.ActivateDomain(t.Context(), tx, domain, now) })
	}
	is := func(domain, awaited string) {
		t.Helper()
		if c, err := company.Info(t.Context(), s.Shop(id)); err != nil || c.Domain != domain || c.PendingDomain != awaited {
			t.Errorf("domain %q, awaited %q (%v), want %q and %q", c.Domain, c.PendingDomain, err, domain, awaited)
		}
		for _, host := range []string{"tea.test", "other.test", "third.test"} {
			c, err := company.CompanyByDomain(t.Context(), s, host)
			if host == domain && (err != nil || c.ID != id) || host != domain && !errors.Is(err, store.ErrShopNotFound) {
				t.Errorf("%s leads to shop %d (%v)", host, c.ID, err)
			}
		}
	}
	connect("tea.test")
	is("", "tea.test")
	activate("tea.test")
	is("tea.test", "")
	connect("tea.test") // again
	is("tea.test", "")
	connect("other.test")
	is("tea.test", "other.test")
	connect("third.test")
	is("tea.test", "third.test")
	activate("other.test") // was replaced before it became active
	is("tea.test", "third.test")
	connect("tea.test") // replaces the pending one
	is("tea.test", "")
	connect("other.test")
	activate("other.test")
	is("other.test", "")
	write(func(tx *store.Tx) error { return company.RemoveDomain(t.Context(), tx) })
	is("", "")
	activate("other.test")
	is("", "")
	write(func(tx *store.Tx) error { return company.SetDomain(t.Context(), tx, "tea.test", now) })
	is("tea.test", "")
}

// Only what restores or removes a deleted shop finds it.
func TestADeletedShopIsRestoredWithinThirtyDays(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	now := time.Now().UTC().Truncate(time.Second)
	info := func() error {
		_, err := company.Info(t.Context(), s.Shop(id))
		return err
	}
	c, err := company.Info(t.Context(), s.Shop(id))
	if err != nil {
		t.Fatal(err)
	}
	held, err := s.Follow(t.Context(), store.Moment{})
	if err != nil {
		t.Fatal(err)
	}
	remove := func(at time.Time) error {
		return s.Write(t.Context(), id, func(tx *store.Tx) error {
			_, err := company.Delete(t.Context(), tx, at)
			return err
		})
	}
	restore := func(at time.Time) error {
		return s.Write(t.Context(), id, func(tx *store.Tx) error { return company.RestoreDeleted(t.Context(), tx, at) })
	}
	if err := restore(now); err != nil {
		t.Errorf("a live shop: %v", err)
	}
	if err := remove(now); err != nil {
		t.Fatal(err)
	}
	if err := remove(now); !errors.Is(err, store.ErrShopDeleted) {
		t.Errorf("deleted again: %v", err)
	}
	for what, err := range map[string]error{
		"its id":   info(),
		"its slug": func() error { _, err := company.CompanyBySlug(t.Context(), s, c.Slug); return err }(),
		"its gate": func() error { _, err := company.GetGate(t.Context(), s.Shop(id)); return err }(),
	} {
		if !errors.Is(err, store.ErrShopNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if f, err := s.Follow(t.Context(), held.Now); err != nil || f.Versions[id] <= c.Version {
		t.Errorf("edges do not hear of it: %+v, %v", f, err)
	}
	_, err = company.CreateCompany(t.Context(), s, c.Slug, "Another", "EUR", owner(t, s, id), nil)
	if !errors.Is(err, shop.ErrSlugTaken) {
		t.Errorf("the slug: %v", err)
	}
	if err := company.DeleteExpired(t.Context(), s, id, now.Add(store.RestoreWindow-time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := restore(now.Add(store.RestoreWindow - time.Second)); err != nil || info() != nil {
		t.Errorf("restored: %v, %v", err, info())
	}
	if err := company.DeleteExpired(t.Context(), s, id, now.Add(10*store.RestoreWindow)); err != nil || info() != nil {
		t.Errorf("a shop that is not deleted was removed: %v, %v", err, info())
	}
	if err := remove(now); err != nil {
		t.Fatal(err)
	}
	if err := restore(now.Add(store.RestoreWindow)); !errors.Is(err, store.ErrRestoreExpired) {
		t.Errorf("after 30 days: %v", err)
	}
	if ids, err := company.ExpiredCompanies(t.Context(), s, now.Add(store.RestoreWindow)); err != nil || len(ids) != 1 || ids[0] != id {
		t.Errorf("expired: %v %v", ids, err)
	}
	if err := company.DeleteExpired(t.Context(), s, id, now.Add(store.RestoreWindow)); err != nil {
		t.Fatal(err)
	}
	if err := restore(now); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("removed: %v", err)
	}
}

func owner(t *testing.T, s *store.Store, id shop.CompanyID) shop.UserID {
	t.Helper()
	person, err := people.MemberWithRole(t.Context(), s.Shop(id), shop.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return person
}

// A shop of many rows is deleted in several transactions. Where one fails, the shop is not there any
// more and cannot be restored, and the upkeep finishes the work.
func TestADeletionThatWasCutOffGoesOn(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url, storetest.FewConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var id shop.CompanyID
	if err := s.Pool.QueryRow(t.Context(), `INSERT INTO company (slug, name, currency) VALUES ('large', 'Large', 'EUR') RETURNING id`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	storetest.Large(t, url, int(id), 6000)
	storetest.Deep(t, url, int(id), 50)
	exec := func(sql string) {
		t.Helper()
		if _, err := s.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
	exec(`CREATE TRIGGER refuse BEFORE DELETE ON category FOR EACH STATEMENT EXECUTE FUNCTION refuse()`)
	removed, err := company.DeleteCompany(t.Context(), s, id)
	if err == nil || removed["product"] != 6000 {
		t.Fatalf("%v, removed %v", err, removed)
	}
	now := time.Now()
	if _, err := company.Info(t.Context(), s.Shop(id)); !errors.Is(err, store.ErrShopNotFound) {
		t.Errorf("the shop is still there: %v", err)
	}
	if err := s.Write(t.Context(), id, func(tx *store.Tx) error { return company.RestoreDeleted(t.Context(), tx, now) }); !errors.Is(err, store.ErrRestoreExpired) {
		t.Errorf("it can be restored: %v", err)
	}
	exec(`DROP TRIGGER refuse ON category`)
	if due, err := company.ExpiredCompanies(t.Context(), s, now); err != nil || len(due) != 1 {
		t.Fatalf("the upkeep finds %v, %v", due, err)
	}
	if err := company.DeleteExpired(t.Context(), s, id, now); err != nil {
		t.Fatal(err)
	}
	if due, err := company.ExpiredCompanies(t.Context(), s, now); err != nil || len(due) != 0 {
		t.Errorf("left: %v, %v", due, err)
	}
}
