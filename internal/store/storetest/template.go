package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/jackc/pgx/v5"
)

const (
	clonePrefix    = "test_"
	templatePrefix = "template_"

	// keptTemplates is how many templates of other keys are kept when a new one is built,
	// so that a few branches and unfinished migrations can alternate without rebuilds.
	keptTemplates = 8

	// lockKey is the key of the advisory lock on the templates: shared while one is copied,
	// exclusive while one is named or dropped.
	lockKey = "1986622578"
)

// clone creates the database name as a copy of the template for key, which it builds if it
// does not exist.
func (s *server) clone(ctx context.Context, name, key string, build Build) error {
	sum := sha256.Sum256([]byte(key))
	id := hex.EncodeToString(sum[:8])
	return s.maintain(ctx, func(conn *pgx.Conn) error {
		for {
			done, err := copyTemplate(ctx, conn, id, name)
			if done || err != nil {
				return err
			}
			if err := s.build(ctx, conn, id, build); err != nil {
				return fmt.Errorf("build the template database: %w", err)
			}
		}
	})
}

// copyTemplate reports false when there is no such template.
func copyTemplate(ctx context.Context, conn *pgx.Conn, id, name string) (done bool, err error) {
	err = locked(ctx, conn, "_shared", lockKey, func() error {
		if done, err = exists(ctx, conn, templatePrefix+id); !done {
			return err
		}
		return run(ctx, conn, "CREATE DATABASE "+name+" TEMPLATE "+templatePrefix+id+" STRATEGY file_copy")
	})
	return done, err
}

// build creates the template under another name and renames it when it is complete, so that
// the result of a killed or failed build is never copied. The name is one of a test's
// database, so sweep drops it. The first lock lets one process build this template, while
// others copy and build theirs.
func (s *server) build(ctx context.Context, conn *pgx.Conn, id string, build Build) error {
	return locked(ctx, conn, "", "hashtextextended('"+id+"', 0)", func() error {
		if done, err := exists(ctx, conn, templatePrefix+id); done || err != nil {
			return err // another process was first
		}
		building := fmt.Sprintf("%s%d_building_%s", clonePrefix, os.Getpid(), id)
		if err := drop(ctx, conn, building); err != nil {
			return err
		}
		if err := run(ctx, conn, "CREATE DATABASE "+building+" TEMPLATE template0"); err != nil {
			return err
		}
		if err := build(ctx, s.address(building)); err != nil {
			return errors.Join(err, drop(context.WithoutCancel(ctx), conn, building))
		}
		return locked(ctx, conn, "", lockKey, func() error {
			if err := prune(ctx, conn); err != nil {
				return err
			}
			return run(ctx, conn, "ALTER DATABASE "+building+" RENAME TO "+templatePrefix+id)
		})
	})
}

// prune drops all but the newest templates.
func prune(ctx context.Context, conn *pgx.Conn) error {
	templates, err := list(ctx, conn, templatePrefix)
	if err != nil {
		return err
	}
	for _, name := range templates[min(keptTemplates, len(templates)):] {
		if err := drop(ctx, conn, name); err != nil {
			return err
		}
	}
	return nil
}

// locked runs do under an advisory lock; kind is "_shared" or empty.
func locked(ctx context.Context, conn *pgx.Conn, kind, key string, do func() error) error {
	if err := run(ctx, conn, fmt.Sprintf("SELECT pg_advisory_lock%s(%s)", kind, key)); err != nil {
		return err
	}
	return errors.Join(do(), run(ctx, conn, fmt.Sprintf("SELECT pg_advisory_unlock%s(%s)", kind, key)))
}

// list returns the names of the databases with the prefix, newest first.
func list(ctx context.Context, conn *pgx.Conn, prefix string) ([]string, error) {
	rows, err := conn.Query(ctx, "SELECT datname::text FROM pg_database WHERE starts_with(datname::text, $1) AND datname::text ~ '^[a-z0-9_]+$' AND NOT datistemplate ORDER BY oid DESC", prefix)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func exists(ctx context.Context, conn *pgx.Conn, name string) (found bool, err error) {
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&found)
	return found, err
}

// drop drops a database of this package, whose names need no quotes.
func drop(ctx context.Context, conn *pgx.Conn, name string) error {
	return run(ctx, conn, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

func run(ctx context.Context, conn *pgx.Conn, sql string) error {
	_, err := conn.Exec(ctx, sql)
	return err
}

// hashFiles returns a hash over the names and contents of all files.
func hashFiles(files fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		// Lengths first, so that different sets of files never produce the same text.
		fmt.Fprintf(sum, "%d %d %s%s", len(path), len(content), path, content)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
