package store_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/storetest"
)

// personalColumnsQuery selects the columns that can hold personal data: words, bytes, JSON, lists,
// and ids of people. A draft table has the columns of its table plus internal ones.
const personalColumnsQuery = `
	SELECT DISTINCT c.table_name || '.' || c.column_name FROM information_schema.columns c
	JOIN information_schema.tables t USING (table_schema, table_name)
	WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ('public', 'draft') AND c.table_name <> 'goose_db_version'
		AND (c.data_type IN ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY', 'USER-DEFINED', 'uuid', 'inet', 'xml')
			OR c.column_name ~ '(person|user|member|actor|author|buyer)_id$|_by$') AND c.column_name !~ '^draft_'
	ORDER BY 1`

// Every column declares its personal data once, or the test fails.
func TestEveryColumnDeclaresItsPersonalData(t *testing.T) {
	t.Parallel()
	conn := connect(t, storetest.URL(t, store.Migrate))
	existing := queryTexts(t, conn, personalColumnsQuery)
	declared := map[string]int{}
	for _, h := range privacy.PersonalColumns {
		for column := range strings.FieldsSeq(h.Columns) {
			name := h.Table + "." + column
			declared[name]++
			if h.What == "" || declared[name] > 1 {
				t.Errorf("%s: describe it in Holdings, once", name)
			}
			if !slices.Contains(existing, name) {
				t.Errorf("%s is in Holdings and in no table", name)
			}
		}
	}
	for _, name := range existing {
		if declared[name] == 0 {
			t.Errorf("%s: describe its personal data and its erasure in Holdings", name)
		}
	}
}
