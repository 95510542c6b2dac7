package full

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/dump"
)

// Report says what a backup consists of.
type Report struct {
	Dir           string    `json:"backup"`
	ID            uuid.UUID `json:"id"`
	MadeAt        time.Time `json:"made_at"`
	Tables        int       `json:"tables"`
	Rows          int64     `json:"rows"`
	DatabaseBytes int64     `json:"database_bytes"`
	Objects       int       `json:"objects"`
	Copied        int64     `json:"copied"` // objects that the folder did not have
	CopiedBytes   int64     `json:"copied_bytes"`
	Lacking       int       `json:"lacking"`
	Lost          []Gap     `json:"lost,omitempty"`
}

// ErrIncomplete is returned with the report of a backup that lacks objects which the bucket does not
// have. It can be restored like any other.
var ErrIncomplete = errors.New("the backup is complete except for objects that the bucket does not have, or only damaged")

// Source is an installation, while it is used.
type Source struct {
	Store       *store.Store
	DatabaseURL string
	Blobs       blob.Store
	Version     string // of the program
}

// busyPause and busyLimit are for waiting until objects are no longer being removed.
const (
	busyPause = 100 * time.Millisecond
	busyLimit = time.Minute
)

// Write makes a backup of an installation in a folder, which is empty or has an earlier one.
// While it runs no object is removed from the bucket: the upkeep removes them later. A process
// that is killed leaves the earlier backup.
func Write(ctx context.Context, from Source, dir string) (report Report, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return report, err
	}
	release, err := hold(dir, syscall.LOCK_EX)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, release()) }()
	w := writer{Source: from, dir: dir, m: Manifest{Format: format, ID: uuid.New(), Version: from.Version}}
	if err := w.prepare(ctx); err != nil {
		return report, err
	}
	for begin := time.Now(); ; {
		ran, err := from.Store.RunExclusive(ctx, store.Backup, w.write)
		if err == nil && !ran && time.Since(begin) > busyLimit {
			err = errors.New("another backup of the installation is being made")
		}
		if ran || err != nil {
			return w.report(), err
		}
		select {
		case <-ctx.Done():
			return report, ctx.Err()
		case <-time.After(busyPause):
		}
	}
}

type writer struct {
	Source
	dir string
	m   Manifest

	copied, copiedBytes atomic.Int64
	mu                  sync.Mutex // of m.Objects.Lacking and Lost
}

// prepare refuses a folder of something else, and removes what interrupted backups left there.
func (w *writer) prepare(ctx context.Context) error {
	in, found, err := w.Store.Installation(ctx)
	if err == nil && !found {
		err = errors.New("the installation has no record yet: nothing was stored in it")
	}
	if err != nil {
		return err
	}
	w.m.Installation = in
	before, err := Read(w.dir)
	switch {
	case err == nil && before.Installation.ID != in.ID:
		return fmt.Errorf("%s has a backup of the installation %s, and this one is %s: choose another folder", w.dir, before.Installation.ID, in.ID)
	case err != nil && !errors.Is(err, ErrNoBackup):
		return err
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == objectsDir, name == manifestName, name == before.Database.Name, name == before.Objects.Name, name == scratchName:
		case fileNames.MatchString(name), name == manifestName+".part":
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is not empty and has %s, which is not part of a backup: choose another folder", w.dir, name)
		}
	}
	return nil
}

// write makes the backup while no object is removed.
func (w *writer) write(ctx context.Context) error {
	w.m.MadeAt = time.Now().UTC().Truncate(time.Second)
	stamp := w.m.MadeAt.Format("20060102T150405Z") + "-" + w.m.ID.String()[:8]
	err := dump.Take(ctx, w.DatabaseURL, func(s *dump.Snapshot) (err error) {
		w.m.PostgreSQL = s.Server()
		if w.m.Schema.Version, w.m.Schema.Needs, err = s.Schema(ctx); err != nil {
			return err
		}
		if w.m.Rows, err = s.Rows(ctx); err != nil {
			return err
		}
		w.m.Objects.File, err = create(w.dir, "objects-"+stamp+".txt", func(out io.Writer) error {
			lines := bufio.NewWriter(out)
			err := s.Objects(ctx, func(sha string) error {
				w.m.Objects.Count++
				_, err := lines.WriteString(sha + "\n")
				return err
			})
			return errors.Join(err, lines.Flush())
		})
		if err != nil {
			return err
		}
		w.m.Database, err = create(w.dir, "database-"+stamp+".dump", func(out io.Writer) error { return s.Write(ctx, out) })
		return err
	})
	if err != nil {
		return err
	}
	kept, err := objects(w.dir)
	if err != nil {
		return err
	}
	err = w.m.Objects.each(ctx, w.dir, func(ctx context.Context, sha string) error { return w.copy(ctx, kept, sha) })
	if err == nil {
		err = w.m.write(w.dir)
	}
	if err == nil {
		err = w.clear(ctx, kept)
	}
	if err == nil && w.m.Objects.Lacking > 0 {
		err = ErrIncomplete
	}
	return err
}

// copy copies an object that the folder does not have.
func (w *writer) copy(ctx context.Context, kept *blob.Dir, sha string) error {
	if has, err := kept.Has(ctx, sha); err != nil || has {
		return err
	}
	size, err := transfer(ctx, w.Blobs, kept, sha)
	switch {
	case err == nil:
		w.copied.Add(1)
		w.copiedBytes.Add(size)
	case errors.Is(err, blob.ErrNotFound):
		w.lost(sha, "missing")
	case errors.Is(err, blob.ErrHashMismatch), errors.Is(err, blob.ErrSizeMismatch):
		w.lost(sha, "damaged")
	default:
		return err
	}
	return nil
}

func (w *writer) lost(sha, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.Objects.Lacking++
	if len(w.m.Objects.Lost) < maxNamed {
		w.m.Objects.Lost = append(w.m.Objects.Lost, Gap{sha, why})
	}
}

// transfer copies an object, whose hash is checked on the way.
func transfer(ctx context.Context, from, to blob.Store, sha string) (size int64, err error) {
	r, size, err := from.Open(ctx, sha)
	if err != nil {
		return 0, err
	}
	err = to.PutExpect(ctx, r, sha, size)
	return size, errors.Join(err, r.Close())
}

// clear removes what only the backup before needed.
func (w *writer) clear(ctx context.Context, kept *blob.Dir) error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); fileNames.MatchString(name) && name != w.m.Database.Name && name != w.m.Objects.Name {
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
				return err
			}
		}
	}
	list, err := os.Open(filepath.Join(w.dir, w.m.Objects.Name))
	if err != nil {
		return err
	}
	defer list.Close()
	lines := bufio.NewScanner(list)
	more := lines.Scan()
	for shard := range blob.Shards() { // in the order of the list
		needed := map[string]bool{}
		for ; more && strings.HasPrefix(lines.Text(), shard); more = lines.Scan() {
			needed[lines.Text()] = true
		}
		var old []string
		err := kept.Each(ctx, shard, func(sha string, _ time.Time) error {
			if !needed[sha] {
				old = append(old, sha)
			}
			return nil
		})
		for _, sha := range old {
			if err == nil {
				_, err = kept.Collect(ctx, sha, time.Now().Add(time.Hour))
			}
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

func (w *writer) report() Report {
	r := Report{
		Dir: w.dir, ID: w.m.ID, MadeAt: w.m.MadeAt, Tables: len(w.m.Rows), DatabaseBytes: w.m.Database.Bytes, Objects: w.m.Objects.Count,
		Copied: w.copied.Load(), CopiedBytes: w.copiedBytes.Load(), Lacking: w.m.Objects.Lacking, Lost: w.m.Objects.Lost,
	}
	for _, n := range w.m.Rows {
		r.Rows += n
	}
	return r
}
