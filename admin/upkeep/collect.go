package upkeep

import (
	"context"
	"fmt"
	"iter"
	"time"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

const (
	shardsPerRound = 2   // of 256: with a round every ten minutes, all of them within a day
	queryBatch     = 500 // objects per database query
)

// due returns the shards of the blob store that are collected in this round. The time determines
// them, so that workers who take turns skip none.
func due(now time.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		first := now.Unix() / int64(Every.Seconds()) * shardsPerRound
		for i := range int64(shardsPerRound) {
			if !yield(fmt.Sprintf("%02x", (first+i)%256)) {
				return
			}
		}
	}
}

// collect removes the objects of a shard that were last put before the given time and that no row
// refers to.
func (u *Upkeep) collect(ctx context.Context, shard string, before time.Time) error {
	var old []string
	gone := 0
	remove := func(ctx context.Context) error {
		orphans, err := media.Unreferenced(ctx, u.store, old)
		for _, sha := range orphans {
			removed := false
			if removed, err = u.blobs.Collect(ctx, sha, before); err != nil {
				return err
			}
			if removed {
				gone++
			}
		}
		return err
	}
	free := func() error {
		err := u.store.RunBeside(ctx, store.Backup, remove)
		old = old[:0]
		return err
	}
	err := u.blobs.Each(ctx, shard, func(sha string, put time.Time) error {
		if put.Before(before) {
			old = append(old, sha)
		}
		if len(old) < queryBatch {
			return nil
		}
		return free()
	})
	if err == nil {
		err = free()
	}
	if gone > 0 {
		u.log.Info("removed unreferenced objects", "shard", shard, "objects", gone)
	}
	return err
}
