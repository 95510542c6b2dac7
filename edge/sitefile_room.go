package edge

import (
	"context"

	"golang.org/x/sync/semaphore"

	"vitrine/compile/feed"
)

// What builds of site files hold has a bound for the process, whatever shops ask
// for. A file is written on a desk, which is an eighth longer than its copy, and
// smallText where that is not known; what outgrows its desk begins again on the
// next longer one. Small desks have so many bytes together, and large ones: small
// files never wait for large ones. Who waits is served in turn, and of one shop so
// few are at work that a slow one leaves room for others. Saved copies are brought
// back within the same bounds, so that they do not wait for builds.
const (
	// smallText is the longest text in bytes that is kept as it is. Longer ones
	// are kept packed.
	smallText = 4 << 20
	deskSlack = 64 << 10 // of a small copy

	smallBytes   = 8 * smallText // a shorter desk counts as one of smallText
	smallPerShop = 2
	largeBytes   = feed.MaxOutput + smallText
	largePerShop = 1
)

// size tells large files from small ones.
type size uint8

const (
	small size = iota
	large
	sizes
)

// longest is the most bytes of a text of this size.
func (z size) longest() int64 { return [sizes]int64{smallText, feed.MaxOutput}[z] }

func sizeOfText(n int64) size {
	if n <= smallText {
		return small
	}
	return large
}

// room bounds what files of a size take together.
type room [sizes]*semaphore.Weighted

func newRoom() room {
	return room{semaphore.NewWeighted(smallBytes), semaphore.NewWeighted(largeBytes)}
}

func newShare() room {
	return room{semaphore.NewWeighted(smallPerShop), semaphore.NewWeighted(largePerShop)}
}

// weight is what n bytes of text count for.
func weight(n int64) int64 { return max(n, smallText) }

// deskFor is how long a desk a file needs by its copy, nil when there is none.
func deskFor(old *copied) int64 {
	if old == nil {
		return smallText
	}
	return min(old.length+old.length/8+deskSlack, feed.MaxOutput)
}

// longer is the next desk for what has outgrown one of n bytes, 0 when there is
// none.
func longer(n int64) int64 {
	switch {
	case n < smallText:
		return smallText
	case n < feed.MaxOutput:
		return feed.MaxOutput
	}
	return 0
}

// enter waits for a desk of n bytes, first among those of the shop.
func (b *fileBuild) enter(n int64) error {
	share, all := b.t.files.share[sizeOfText(n)], b.s.building[sizeOfText(n)]
	if err := share.Acquire(b.s.ctx, 1); err != nil {
		return err
	}
	if err := all.Acquire(b.s.ctx, weight(n)); err != nil {
		share.Release(1)
		return err
	}
	b.desk = make(text, 0, n)
	b.giveBack = func() {
		all.Release(weight(n))
		share.Release(1)
	}
	return nil
}

// leave gives back what a build has taken.
func (b *fileBuild) leave() {
	b.desk, b.out = nil, nil
	if b.giveBack != nil {
		b.giveBack()
		b.giveBack = nil
	}
}

// restoring runs what needs n bytes of text beside the builds, when its turn has
// come.
func (b *fileBuild) restoring(n int64, run func(ctx context.Context) error) error {
	all := b.s.restoring[sizeOfText(n)]
	if err := all.Acquire(b.s.ctx, weight(n)); err != nil {
		return err
	}
	defer all.Release(weight(n))
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	return run(ctx)
}

// text is what a render writes.
type text []byte

// Write never fails: the render counts its bytes.
func (t *text) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	return len(p), nil
}
