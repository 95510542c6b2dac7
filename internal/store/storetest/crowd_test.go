package storetest

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

func TestACrowdIsAThousandShops(t *testing.T) {
	t.Parallel()
	ManyShops(t, store.Migrate)
	begin := time.Now()
	address := ManyShops(t, store.Migrate)
	t.Logf("a copy of %s takes %v", scan(t, address, "SELECT pg_size_pretty(pg_database_size(current_database()))"), time.Since(begin))
	for sql, want := range map[string]string{
		"SELECT count(*)::text FROM company":                            "1000",
		"SELECT count(*)::text FROM product":                            "61000",
		"SELECT (min(company_id) > 1000)::text FROM product":            "true",
		"SELECT nextval(pg_get_serial_sequence('product', 'id'))::text": "1",
		"SELECT nextval(pg_get_serial_sequence('company', 'id'))::text": "1",
	} {
		if got := scan(t, address, sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

func TestAMissingShopFilterIsDetected(t *testing.T) {
	t.Parallel()
	address := ManyShops(t, store.Migrate)
	found := SequentialScans(t, address, []Statement{
		{SQL: "BEGIN"},
		{SQL: "SELECT name FROM product WHERE company_id = $1 AND id = $2", Args: []any{1, 2}},
		{SQL: "SELECT name FROM category WHERE name = $1", Args: []any{"Tea"}},
		{SQL: "UPDATE article SET views = 0 WHERE views = $1", Args: []any{5}, Draft: true},
	})
	if len(found["product"]) != 0 || len(found["category"]) != 1 || len(found["article"]) == 0 {
		t.Errorf("found %v", found)
	}
	before, _ := CrowdState(t, address)
	on(t, address, func(conn *pgx.Conn) error {
		return run(t.Context(), conn, "UPDATE redirect_rule SET hits = hits + 1 WHERE id = 5 AND company_id = 1500")
	})
	after, _ := CrowdState(t, address)
	for table := range before {
		if (after[table] != before[table]) != (table == "redirect_rule") {
			t.Errorf("one rule changed: %s had %s and has %s", table, before[table], after[table])
		}
	}
}
