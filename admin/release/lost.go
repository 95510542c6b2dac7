package release

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// asksAtOnce is how many objects are asked for together: a bucket answers each
// in some milliseconds.
const asksAtOnce = 16

// lost are those of the contents whose bytes the storage does not have, though
// the shop's account says so: a disk was replaced, a bucket emptied by hand. To
// send them again heals every release that has them.
func (rs *Releases) lost(ctx context.Context, hashes []string) (map[string]bool, error) {
	gone := map[string]bool{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(asksAtOnce)
	for _, sha := range hashes {
		group.Go(func() error {
			has, err := rs.blobs.Has(ctx, sha)
			if err == nil && !has {
				mu.Lock()
				gone[sha] = true
				mu.Unlock()
			}
			return err
		})
	}
	return gone, group.Wait()
}

// lostOf are the lost contents among those that a request would reuse.
func (rs *Releases) lostOf(ctx context.Context, r store.Reader, req release.Request) (map[string]bool, error) {
	owned, err := media.OwnedBlobs(ctx, r, hashesOf(req))
	if err != nil {
		return nil, err
	}
	return rs.lost(ctx, slices.Collect(maps.Keys(owned)))
}

// Whole refuses a release of the shop whose bytes are not all there, be it that
// they never came or that the storage has lost them: FILES_PENDING.
func (rs *Releases) Whole(ctx context.Context, r store.Reader, id shop.ReleaseID) error {
	files, err := manifestOf(ctx, r, id)
	if err != nil {
		return err
	}
	return rs.whole(ctx, id, files)
}

// whole refuses a release some of whose bytes are lost as one that waits for
// them: FILES_PENDING.
func (rs *Releases) whole(ctx context.Context, id shop.ReleaseID, files []release.File) error {
	hashes := map[string]bool{}
	for _, f := range files {
		hashes[f.SHA256] = true
	}
	gone, err := rs.lost(ctx, slices.Collect(maps.Keys(hashes)))
	if err != nil || len(gone) == 0 {
		return err
	}
	var paths []string
	for _, f := range files {
		if gone[f.SHA256] {
			paths = append(paths, f.Path)
		}
	}
	return release.ErrFilesPending.With("the storage has lost "+someOf(paths)+" of release "+id.String()+"; announce these files again and send them").
		WithField("pending", paths)
}
