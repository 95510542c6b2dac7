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
	newer, err := s.Versions(t.Context(), map[shop.CompanyID]int64{deleted: 7, other: 1 << 40})
	if err != nil || len(newer) != 1 || newer[deleted] <= 7 {
		t.Errorf("Versions: %v, %v", newer, err)
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
