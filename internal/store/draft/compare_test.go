package draft

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A column that has no draft is never a pending change.
func TestColumnsWithoutADraftAreNotCompared(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
		SELECT attname::text FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND col_description(attrelid, attnum) = 'has no draft'`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(columns) < 6 {
		t.Fatal(columns, err)
	}
	for _, column := range columns {
		if !slices.Contains(columnsWithoutDraft, column) {
			t.Errorf("columnsWithoutDraft lacks %s", column)
		}
	}
}
