package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"vitrine/internal/store/migrations"
)

// ErrSchemaOlder is returned while the database lacks migrations that this program needs.
// Applying them helps.
var ErrSchemaOlder = errors.New("schema: run vitrine migrate")

// ErrSchemaNewer is returned for a schema that this program does not know how to use. Another
// release of the program does.
var ErrSchemaNewer = errors.New("schema: it is newer than this program")

// schemaReach is the distance to the newest known migration from which on no schema is known,
// whatever it needs.
const schemaReach = 1000

// newestMigration is the number of the newest migration that this program knows.
func newestMigration() (newest int64, err error) {
	files, err := migrations.FS.ReadDir(".")
	for _, file := range files {
		if n, err := goose.NumericComponent(file.Name()); err == nil {
			newest = max(newest, n)
		}
	}
	return newest, err
}

// CheckSchema reports whether this program can use the schema: nil, ErrSchemaOlder or
// ErrSchemaNewer. Migrations only add what programs of the release before can do without. One
// that takes something away replaces the function schema_needs by one that returns the newest
// migration that a program must know (migration 0141).
func (s *Store) CheckSchema(ctx context.Context) error { return checkSchema(ctx, s.Pool) }

func checkSchema(ctx context.Context, db Querier) error {
	version, needs, err := SchemaOf(ctx, db)
	if err != nil {
		return err
	}
	return FitsSchema(version, needs)
}

// FitsSchema is CheckSchema for a schema of a version that needs a program that knows a migration.
func FitsSchema(version, needs int64) error {
	newest, err := newestMigration()
	switch {
	case err != nil:
		return err
	case needs > newest || version >= newest+schemaReach:
		return fmt.Errorf("%w: the database has version %d and needs a program that knows %d, this one knows %d", ErrSchemaNewer, version, max(needs, newest+1), newest)
	case version < newest:
		return fmt.Errorf("%w: the database has version %d, this program needs %d", ErrSchemaOlder, version, newest)
	}
	return nil
}

// SchemaIsEmpty reports whether no migration was applied.
func (s *Store) SchemaIsEmpty(ctx context.Context) (bool, error) {
	version, _, err := SchemaOf(ctx, s.Pool)
	return version == 0, err
}

// SchemaOf returns the highest applied migration, 0 if there is none, and what the schema says it needs.
func SchemaOf(ctx context.Context, db Querier) (version, needs int64, err error) {
	var begun, says bool
	err = db.QueryRow(ctx, `SELECT to_regclass('public.goose_db_version') IS NOT NULL, to_regprocedure('public.schema_needs()') IS NOT NULL`).Scan(&begun, &says)
	if err == nil && begun {
		err = db.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	}
	if err == nil && says {
		err = db.QueryRow(ctx, `SELECT schema_needs()`).Scan(&needs)
	}
	return version, needs, err
}
