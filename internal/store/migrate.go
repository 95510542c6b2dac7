package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"vitrine/internal/store/migrations"
)

// Migrate upgrades a database to the newest schema, forward only. Several processes may
// call it at once: a session lock lets one of them work.
func Migrate(ctx context.Context, url string) error {
	cfg, err := pgxpool.ParseConfig(url) // the server rejects the pool's parameters, which this removes
	if err != nil {
		return fmt.Errorf("database url: %w", err)
	}
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = "0" // an index on a large table outlasts the time of a request's statement
	db := stdlib.OpenDB(*cfg.ConnConfig)
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return guardDraft(ctx, db)
}
