package store_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/golden"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Objects that no such column references are deleted: a new column must be listed here and
// in store.Unreferenced.
func TestEveryColumnReferencingAnObjectIsListed(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), `
		SELECT table_schema || '.' || table_name || '.' || column_name FROM information_schema.columns
		WHERE column_name ~ 'sha256|blob|digest' AND table_schema NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	golden.Rows(t, "columns", got, []string{
		"public.blob.sha256", "public.blob_reservation.sha256", "public.form_file.sha256", "public.job.sha256", "public.media_file.original_sha256", "public.media_file.sha256",
		"public.packed_file.bundle_sha256", "public.packed_file.sha256", "public.release_file.sha256",
	})
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A server ends transactions that are idle for a while. Work under Alone may take longer,
// and no other process may begin it meanwhile.
func TestRunExclusiveOutlastsTheIdleTransactionTimeout(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = 100', current_database()); END $$`); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ran, err := s.RunExclusive(ctx, "work", func(ctx context.Context) error {
		if _, err := conn.Exec(ctx, `SELECT pg_sleep(0.4)`); err != nil {
			return err
		}
		if second, err := s.RunExclusive(ctx, "work", func(context.Context) error { return nil }); second || err != nil {
			t.Errorf("a second run started at the same time: %v, %v", second, err)
		}
		return nil
	})
	if !ran || err != nil {
		t.Errorf("%v, %v", ran, err)
	}
}
