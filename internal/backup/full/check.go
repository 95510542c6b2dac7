package full

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"vitrine/internal/store"
	"vitrine/internal/store/cluster"
	"vitrine/internal/store/dump"
)

// scratchName is the file with the place of the database of a check, so that the next one removes
// what a killed one left.
const scratchName = "scratch"

// Checked says what a check has compared.
type Checked struct {
	Dir     string `json:"checked"`
	Tables  int    `json:"tables"`
	Rows    int64  `json:"rows"`
	Objects int    `json:"objects"`
	Lacking int    `json:"lacking"`
}

// Check reads every file of a backup, loads its database into a server of its own below the folder
// for temporary files, and compares: the rows of each table, and whether every object that a
// row needs is in the backup.
func Check(ctx context.Context, dir string, log *slog.Logger) (c Checked, err error) {
	m, err := Read(dir)
	if err != nil {
		return c, err
	}
	release, err := hold(dir, syscall.LOCK_EX)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := store.FitsSchema(m.Schema.Version, m.Schema.Needs); errors.Is(err, store.ErrSchemaNewer) {
		return c, err
	}
	if err := verify(ctx, dir, m); err != nil {
		return c, err
	}
	err = inScratch(ctx, dir, log, func(url string) error { return compare(ctx, url, dir, m) })
	c = Checked{Dir: dir, Tables: len(m.Rows), Objects: m.Objects.Count, Lacking: m.Objects.Lacking}
	for _, n := range m.Rows {
		c.Rows += n
	}
	return c, err
}

// inScratch runs fn with a new server, which it removes afterwards.
func inScratch(ctx context.Context, dir string, log *slog.Logger, fn func(url string) error) (err error) {
	note := filepath.Join(dir, scratchName)
	left, err := os.ReadFile(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	config := cluster.Config{Log: log, Throwaway: true}
	if config.Dir = strings.TrimSpace(string(left)); config.Dir != "" {
		if err := discard(ctx, config, nil); err != nil {
			return err
		}
	}
	if config.Dir, err = os.MkdirTemp("", "vitrine-check-"); err != nil {
		return err
	}
	// The user that runs the server must enter it; what is in it is closed.
	if err := errors.Join(os.WriteFile(note, []byte(config.Dir+"\n"), 0o600), os.Chmod(config.Dir, 0o711)); err != nil {
		return err
	}
	return errors.Join(discard(ctx, config, fn), os.Remove(note))
}

// discard starts the server of a folder for fn, stops it, and removes the folder.
func discard(ctx context.Context, config cluster.Config, fn func(url string) error) error {
	if _, err := os.Stat(config.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c, err := cluster.Start(ctx, config)
	if err != nil {
		return errors.Join(err, os.RemoveAll(config.Dir))
	}
	if fn != nil {
		err = fn(c.URL())
	}
	return errors.Join(err, c.Discard(context.WithoutCancel(ctx)), os.RemoveAll(config.Dir))
}

// compare loads the database of a backup and compares it with the manifest.
func compare(ctx context.Context, url, dir string, m Manifest) error {
	err := dump.Into(ctx, url, func(t *dump.Target) error {
		if err := load(ctx, t, dir, m); err != nil {
			return err
		}
		rows, err := t.Rows(ctx)
		if err != nil {
			return err
		}
		var wrong []error
		for _, table := range slices.Sorted(maps.Keys(rows)) {
			if want, found := m.Rows[table]; !found || want != rows[table] {
				wrong = append(wrong, fmt.Errorf("%s has %d rows, the backup says %d", table, rows[table], want))
			}
		}
		if len(rows) != len(m.Rows) {
			wrong = append(wrong, fmt.Errorf("%d tables, the backup says %d", len(rows), len(m.Rows)))
		}
		return errors.Join(wrong...)
	})
	if err == nil {
		err = store.Migrate(ctx, url) // the references are those of this program's schema
	}
	if err != nil {
		return err
	}
	return dump.Into(ctx, url, func(t *dump.Target) error { return compareObjects(ctx, t, dir, m) })
}

// compareObjects checks that the list of the backup names every object that a row needs.
func compareObjects(ctx context.Context, t *dump.Target, dir string, m Manifest) error {
	list, err := os.Open(filepath.Join(dir, m.Objects.Name))
	if err != nil {
		return err
	}
	defer list.Close()
	lines := bufio.NewScanner(list)
	more := lines.Scan()
	return t.Objects(ctx, func(sha string) error {
		for more && lines.Text() < sha {
			more = lines.Scan()
		}
		if !more || lines.Text() != sha {
			return fmt.Errorf("%w: a row needs the object %s, which the list lacks", ErrDamaged, sha)
		}
		return lines.Err()
	})
}

// load fills a database from the dump of a backup.
func load(ctx context.Context, t *dump.Target, dir string, m Manifest) error {
	f, err := os.Open(filepath.Join(dir, m.Database.Name))
	if err != nil {
		return err
	}
	defer f.Close()
	return t.Load(ctx, f)
}
