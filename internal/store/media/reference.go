package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// reference is a column that references an object of the blob store. A row for which living
// is false does not keep the object.
type reference struct{ table, column, living string }

// references lists all such columns.
var references = []reference{
	{"blob", "sha256", "true"},
	{"media_file", "sha256", "t.deleted_at IS NULL"},
	{"media_file", "original_sha256", "t.deleted_at IS NULL"},
	{"packed_file", "bundle_sha256", "true"},
	{"blob_reservation", "sha256", "true"},
	{"form_file", "sha256", "true"},
	{"job", "sha256", "true"},
	{"release_file", "sha256", "NOT t.pending AND EXISTS (SELECT 1 FROM release r WHERE r.company_id = t.company_id AND r.id = t.release_id AND r.deleted_at IS NULL)"},
}

// Unreferenced returns those of the objects that no row of any shop references.
func Unreferenced(ctx context.Context, s *store.Store, hashes []string) ([]string, error) {
	return unreferencedOf(ctx, s.Pool, hashes)
}

func unreferencedOf(ctx context.Context, q store.Querier, hashes []string) ([]string, error) {
	sql := `SELECT sha FROM unnest($1::text[]) AS sha WHERE true`
	for _, r := range references {
		sql += fmt.Sprintf(` AND NOT EXISTS (SELECT 1 FROM %[1]s t WHERE t.%[2]s = sha AND t.%[2]s <> '' AND %[3]s)`, r.table, r.column, r.living)
	}
	rows, err := q.Query(ctx, sql, hashes)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// EachReferenced calls each with every object that a row of any shop references and that therefore
// exists, in the order of the hashes. A reservation alone does not say that the bytes were written.
func EachReferenced(ctx context.Context, q store.Querier, each func(sha string) error) error {
	var columns []string
	for _, r := range references {
		if r.table != "blob_reservation" {
			columns = append(columns, fmt.Sprintf(`SELECT t.%[2]s AS sha FROM %[1]s t WHERE t.%[2]s <> '' AND %[3]s`, r.table, r.column, r.living))
		}
	}
	rows, err := q.Query(ctx, `SELECT sha FROM (`+strings.Join(columns, ` UNION `)+`) AS referenced ORDER BY sha COLLATE "C"`)
	if err != nil {
		return err
	}
	var sha string
	_, err = pgx.ForEachRow(rows, []any{&sha}, func() error { return each(sha) })
	return err
}
