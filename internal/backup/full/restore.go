package full

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/dump"
)

// restoring is what the bucket is marked with, followed by the backup's id, until it is complete.
const restoring = "restore "

// Unfinished reports whether the mark of a bucket is that of a restore which did not end.
func Unfinished(owner string) bool { return strings.HasPrefix(owner, restoring) }

// Restored says what a restore has written.
type Restored struct {
	Dir          string    `json:"restored"`
	Installation uuid.UUID `json:"installation"`
	MadeAt       time.Time `json:"made_at"`
	Rows         int64     `json:"rows"`
	Objects      int       `json:"objects"`
	Lacking      int       `json:"lacking"`
}

// Restore fills an empty database and an empty bucket from a backup. The bucket is filled first,
// and the database in one transaction, so a restore that was interrupted is continued by the
// same call.
func Restore(ctx context.Context, dir string, m Manifest, url string, blobs blob.Store) (r Restored, err error) {
	release, err := hold(dir, syscall.LOCK_SH)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := store.FitsSchema(m.Schema.Version, m.Schema.Needs); errors.Is(err, store.ErrSchemaNewer) {
		return r, err
	}
	err = dump.Into(ctx, url, func(t *dump.Target) error {
		loaded, err := m.admits(ctx, t, blobs)
		if err == nil {
			err = verify(ctx, dir, m)
		}
		if err != nil {
			return err
		}
		err = blobs.Mark(ctx, restoring+m.ID.String())
		if err == nil {
			err = fill(ctx, dir, m, blobs)
		}
		if err == nil && !loaded {
			err = load(ctx, t, dir, m)
		}
		if err == nil {
			err = blobs.Mark(ctx, m.Installation.ID.String())
		}
		if err != nil {
			err = fmt.Errorf("%w (the restore is not finished: the same command continues it)", err)
		}
		return err
	})
	r = Restored{Dir: dir, Installation: m.Installation.ID, MadeAt: m.MadeAt, Objects: m.Objects.Count, Lacking: m.Objects.Lacking}
	for _, n := range m.Rows {
		r.Rows += n
	}
	return r, err
}

// admits refuses a database or a bucket that is in use. loaded reports that an interrupted restore
// of the same backup had filled the database.
func (m Manifest) admits(ctx context.Context, t *dump.Target, blobs blob.Store) (loaded bool, err error) {
	owner, err := blobs.Owner(ctx)
	if err != nil {
		return false, err
	}
	tables, err := t.Tables(ctx)
	if err != nil {
		return false, err
	}
	ours := owner == restoring+m.ID.String()
	if ours && tables > 0 {
		id, err := t.Installation(ctx)
		if err != nil || id == m.Installation.ID {
			return true, err
		}
	}
	switch {
	case tables > 0:
		return false, fmt.Errorf("the database is not empty, it has %d tables: a restore needs a new one", tables)
	case ours:
		return false, nil
	case Unfinished(owner):
		return false, errors.New("the bucket has a part of another backup, whose restore was interrupted: continue that one, or empty the bucket")
	case owner != "":
		return false, fmt.Errorf("the bucket belongs to the installation %s: a restore needs an empty one", owner)
	}
	for shard := range blob.Shards() {
		err := blobs.Each(ctx, shard, func(string, time.Time) error { return errNotEmpty })
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

var errNotEmpty = errors.New("the bucket is not empty: a restore needs an empty one")

// fill copies the objects that the bucket does not have yet.
func fill(ctx context.Context, dir string, m Manifest, blobs blob.Store) error {
	kept, err := objects(dir)
	if err != nil {
		return err
	}
	var gaps atomic.Int64
	return m.Objects.each(ctx, dir, func(ctx context.Context, sha string) error {
		if has, err := blobs.Has(ctx, sha); err != nil || has {
			return err
		}
		_, err := transfer(ctx, kept, blobs, sha)
		if errors.Is(err, blob.ErrNotFound) && gaps.Add(1) <= int64(m.Objects.Lacking) {
			err = nil
		}
		return err
	})
}
