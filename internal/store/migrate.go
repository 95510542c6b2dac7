package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"vitrine/internal/store/migrations"
)

// Migrate upgrades a database to the newest schema, forward only. Several processes may
// call it at once: a session lock lets one of them work. It refuses a connection through a
// pooler, which would give the lock to other clients.
func Migrate(ctx context.Context, url string) error {
	cfg, err := pgxpool.ParseConfig(url) // the server rejects the pool's parameters, which this removes
	if err != nil {
		return fmt.Errorf("database url: %w", err)
	}
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = "0" // an index on a large table outlasts the time of a request's statement
	db := stdlib.OpenDB(*cfg.ConnConfig)
	defer db.Close()
	if err := refusePooler(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if err := refuseNewer(ctx, db); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := guardDraft(ctx, db); err != nil {
		return err
	}
	return guardShops(ctx, db)
}

// ErrPooler refuses work that needs a session of its own.
var ErrPooler = errors.New("the connection leads through a pooler, which shares sessions: use the address of PostgreSQL itself for this command")

// refusePooler compares the process that a connection was told of with the one that serves it.
func refusePooler(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error { return ownSession(ctx, driver.(*stdlib.Conn).Conn()) })
}

func ownSession(ctx context.Context, c *pgx.Conn) error {
	var serves uint32
	err := c.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&serves)
	if err == nil && serves != c.PgConn().PID() {
		err = ErrPooler
	}
	return err
}

// Connect opens a session for work on a whole database, without limits of time. It refuses a
// connection through a pooler.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	cfg, _, err := configure(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	params := cfg.ConnConfig.RuntimeParams
	delete(params, "enable_seqscan")
	params["statement_timeout"], params["idle_in_transaction_session_timeout"] = "0", "0"
	persist(&cfg.ConnConfig.Config)
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if err := ownSession(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return conn, nil
}

// HoldMigrations waits until nobody migrates the database, and lets nobody migrate it before the
// session ends.
func HoldMigrations(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, lock.DefaultLockID)
	return err
}

// refuseNewer returns ErrSchemaNewer for a schema that this program does not know.
func refuseNewer(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		err := checkSchema(ctx, driver.(*stdlib.Conn).Conn())
		if errors.Is(err, ErrSchemaOlder) {
			err = nil
		}
		return err
	})
}
