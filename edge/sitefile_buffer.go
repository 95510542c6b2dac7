package edge

import (
	"context"

	"golang.org/x/sync/semaphore"

	"vitrine/compile/feed"
)

// The buffers of builds of site files are bounded for the process. A file is rendered
// into a buffer of an eighth more than the size of its copy, or of smallLimit when there
// is no copy; a file that outgrows its buffer is rendered again with the next larger
// one. Small and large buffers have separate budgets, so that small files never wait for
// large ones. Waiting builds are served in order, and each shop runs only a few at once,
// so that a slow shop does not hold the whole budget. Restoring saved copies has budgets
// of the same size, so that it does not wait for builds.
const (
	// smallLimit is the size in bytes of the largest text that the cache keeps
	// uncompressed. Larger ones are kept as gzip only.
	smallLimit  = 4 << 20
	bufferSlack = 64 << 10 // by which a buffer is larger besides

	smallBudget  = 8 * smallLimit // a smaller buffer counts as smallLimit
	smallPerShop = 2
	largeBudget  = feed.MaxOutput + smallLimit
	largePerShop = 1
)

// sizeClass separates large files from small ones.
type sizeClass uint8

const (
	small sizeClass = iota
	large
	sizeClasses
)

// limit is the size in bytes of the largest text of the class.
func (z sizeClass) limit() int64 { return [sizeClasses]int64{smallLimit, feed.MaxOutput}[z] }

func sizeClassOf(n int64) sizeClass {
	if n <= smallLimit {
		return small
	}
	return large
}

// bySize holds a semaphore for each size class.
type bySize [sizeClasses]*semaphore.Weighted

// newByteBudgets returns the budgets of the process in bytes.
func newByteBudgets() bySize {
	return bySize{semaphore.NewWeighted(smallBudget), semaphore.NewWeighted(largeBudget)}
}

// newBuildLimits returns the number of builds that a shop runs at once.
func newBuildLimits() bySize {
	return bySize{semaphore.NewWeighted(smallPerShop), semaphore.NewWeighted(largePerShop)}
}

// charged returns the bytes of the budget that n bytes of text take.
func charged(n int64) int64 { return max(n, smallLimit) }

// bufferSize estimates the buffer of a build by the previous copy, if there is one.
func bufferSize(old *copyInfo) int64 {
	if old == nil {
		return smallLimit
	}
	return min(old.length+old.length/8+bufferSlack, feed.MaxOutput)
}

// nextBufferSize returns the size after n for a file that has outgrown its buffer, 0
// when n is the largest.
func nextBufferSize(n int64) int64 {
	switch {
	case n < smallLimit:
		return smallLimit
	case n < feed.MaxOutput:
		return feed.MaxOutput
	}
	return 0
}

// acquireBuffer acquires a slot of the shop and then a buffer of n bytes.
func (b *fileBuild) acquireBuffer(n int64) error {
	share, all := b.t.files.limits[sizeClassOf(n)], b.s.building[sizeClassOf(n)]
	if err := share.Acquire(b.s.ctx, 1); err != nil {
		return err
	}
	if err := all.Acquire(b.s.ctx, charged(n)); err != nil {
		share.Release(1)
		return err
	}
	b.buffer = make(fileText, 0, n)
	b.release = func() {
		all.Release(charged(n))
		share.Release(1)
	}
	return nil
}

// releaseBuffer releases the buffer and the slot, if the build has them.
func (b *fileBuild) releaseBuffer() {
	b.buffer, b.out = nil, nil
	if b.release != nil {
		b.release()
		b.release = nil
	}
}

// withRestoreBytes runs a function once n bytes of the budget for restoring are free.
func (b *fileBuild) withRestoreBytes(n int64, run func(ctx context.Context) error) error {
	all := b.s.restoring[sizeClassOf(n)]
	if err := all.Acquire(b.s.ctx, charged(n)); err != nil {
		return err
	}
	defer all.Release(charged(n))
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	return run(ctx)
}

// fileText is a text that is written piece by piece.
type fileText []byte

// Write never fails. The render bounds the number of bytes.
func (t *fileText) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	return len(p), nil
}
