package store_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/internal/store/storetest"
)

// A statement that was prepared while a table was small reads few rows once the table has grown.
func TestATableThatHasGrownGetsNewPlans(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	conn, err := s.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	do := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{
		`ALTER TABLE product SET (autovacuum_enabled = false)`,
		`SET plan_cache_mode = force_generic_plan`,
		`PREPARE numbered AS SELECT p.id FROM unnest($2::text[]) AS u(sku), LATERAL (
			SELECT id FROM product WHERE company_id = $1 AND sku = u.sku AND sku <> '' AND deleted_at IS NULL LIMIT 1) AS p`,
	} {
		do(sql)
	}
	execute := fmt.Sprintf(`EXECUTE numbered (%d, '{T-1,T-2,T-3}')`, id)
	do(execute)
	do(fmt.Sprintf(`INSERT INTO product (company_id, kind, name, slug, sku) SELECT %d, 'standard', 'Tea ' || n, 'tea-' || n, 'T-' || n FROM generate_series(1, 3000) n`, id))
	grown, err := s.AnalyzeGrown(t.Context())
	if err != nil || !slices.Contains(grown, "product") {
		t.Fatal(grown, err)
	}
	if rows, plan := storetest.RowsRead(t, conn, execute); rows["product"] != 3 {
		t.Errorf("%v rows of 3 products are read:\n%s", rows["product"], plan)
	}
	if again, err := s.AnalyzeGrown(t.Context()); err != nil || len(again) > 0 {
		t.Errorf("analysed again: %v, %v", again, err)
	}
}
