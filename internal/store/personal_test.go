package store_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// worded are the columns that can hold something of a person: words, bytes, JSON, lists,
// and numbers of people. A draft has the columns of its table, and its own marks.
const worded = `
	SELECT DISTINCT c.table_name || '.' || c.column_name FROM information_schema.columns c
	JOIN information_schema.tables t USING (table_schema, table_name)
	WHERE t.table_type = 'BASE TABLE' AND c.table_schema IN ('public', 'draft') AND c.table_name <> 'goose_db_version'
		AND (c.data_type IN ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY', 'USER-DEFINED', 'uuid', 'inet', 'xml')
			OR c.column_name ~ '(person|user|member|actor|author)_id$|_by$') AND c.column_name !~ '^draft_'
	ORDER BY 1`

// A column says what it holds of people, once, or it cannot be added.
func TestEveryColumnSaysWhatItHoldsOfPeople(t *testing.T) {
	t.Parallel()
	conn := connect(t, storetest.URL(t, store.Migrate))
	there := texts(t, conn, worded)
	said := map[string]int{}
	for _, h := range store.Holdings {
		for column := range strings.FieldsSeq(h.Columns) {
			name := h.Table + "." + column
			said[name]++
			if h.What == "" || said[name] > 1 {
				t.Errorf("%s: say in Holdings what it holds, once", name)
			}
			if !slices.Contains(there, name) {
				t.Errorf("%s is in Holdings and in no table", name)
			}
		}
	}
	for _, name := range there {
		if said[name] == 0 {
			t.Errorf("%s: say in Holdings what it holds of people, and how they go out of it", name)
		}
	}
}
