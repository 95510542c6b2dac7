package store_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Bytes are removed that no such column names: a new one must be known here and
// in store.Unreferred.
func TestEveryColumnThatNamesAnObjectIsKnown(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), `
		SELECT table_schema || '.' || table_name || '.' || column_name FROM information_schema.columns
		WHERE column_name ~ 'sha256|blob|digest' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	want := []string{"public.blob.sha256", "public.media_file.original_sha256", "public.media_file.sha256",
		"public.packed_file.bundle_sha256", "public.packed_file.sha256", "public.release_file.sha256"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
