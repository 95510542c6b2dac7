package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
	"vitrine/internal/store/storetest"
)

// Each publish records the pictures of a release again: the earlier record is replaced, and
// the same content at two paths counts once.
func TestRecordPicturesReplacesTheEarlierRecord(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	conn := connect(t, url)
	for _, sql := range []string{
		`INSERT INTO release (company_id, document_id) VALUES ($1, 1)`,
		`INSERT INTO release_file (company_id, release_id, path, sha256, size, mime, shown)
			SELECT $1, 1, path, sha, 1, mime, place FROM (VALUES ('a.png', 'a', 'image/png', 1), ('b.png', 'b', 'image/png', 2),
				('copy.png', 'b', 'image/png', NULL), ('c.svg', 'c', 'image/svg+xml', NULL)) AS f(path, sha, mime, place)`,
	} {
		if _, err := conn.Exec(t.Context(), sql, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ paths, want string }{
		{"c.svg none.png copy.png b.png a.png", "copy.png a.png"}, {"b.png", "b.png"}, {"", ""}, {"a.png b.png a.png", "a.png b.png"},
	} {
		write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
			return media.RecordPictures(ctx, tx, 1, strings.Fields(c.paths))
		})
		rows, err := conn.Query(t.Context(), `SELECT path FROM release_file WHERE shown IS NOT NULL ORDER BY shown`)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %s; %v", c.paths, got, c.want, err)
		}
	}
}
