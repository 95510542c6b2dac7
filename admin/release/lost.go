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

// maxConcurrentChecks is how many objects are queried concurrently: a bucket takes some
// milliseconds for each.
const maxConcurrentChecks = 16

// lost returns those contents whose bytes the storage does not have although they are recorded
// for the shop, for example after a disk was replaced or a bucket was emptied by hand. Uploading
// them again repairs every release that contains them.
func (rs *Releases) lost(ctx context.Context, hashes []string) (map[string]bool, error) {
	gone := map[string]bool{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxConcurrentChecks)
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

// lostOf returns the lost contents among those that a request would reuse.
func (rs *Releases) lostOf(ctx context.Context, r store.Reader, req release.Request) (map[string]bool, error) {
	owned, err := media.OwnedBlobs(ctx, r, hashesOf(req))
	if err != nil {
		return nil, err
	}
	return rs.lost(ctx, slices.Collect(maps.Keys(owned)))
}

// Whole returns FILES_PENDING for a release of the shop some of whose bytes are missing, either
// because they were never uploaded or because the storage has lost them.
func (rs *Releases) Whole(ctx context.Context, r store.Reader, id shop.ReleaseID) error {
	files, err := manifestOf(ctx, r, id)
	if err != nil {
		return err
	}
	return rs.checkNotLost(ctx, id, files)
}

// checkNotLost returns FILES_PENDING for a release some of whose bytes are lost.
func (rs *Releases) checkNotLost(ctx context.Context, id shop.ReleaseID, files []release.File) error {
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
	return release.ErrFilesPending.With("the storage has lost "+someOf(paths)+" of release "+id.String()+"; announce these files again and upload them").
		WithField("pending", paths)
}
