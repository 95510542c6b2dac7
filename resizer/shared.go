package resizer

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
)

const (
	sharedWait  = time.Second      // for the shared store; then a variant is made here
	sharedPause = 10 * time.Second // after a failure, until the store is asked again
	sharedPuts  = 64               // variants that wait to be stored; others are not stored
)

// shared keeps variants in a store that all machines have, so that one of them makes a variant and the
// others read it. It never holds a request: a store that does not answer at once is not asked for a while,
// and variants are stored in the background.
//
// Two machines that are asked for the same variant at once both make it. A worker makes the steps of new
// pictures ahead (admin/picture), so this happens only to those requested before, at most once for each of
// the ten steps. A lease would put a statement before every variant that is made, and a request that waits
// for another machine's variant would wait as long, and then for the store.
type shared struct {
	store  blob.Store // nil: nothing is shared
	log    *slog.Logger
	asked  atomic.Int64 // until when the store is not asked, in nanoseconds since 1970
	puts   chan sharedVariant
	stored chan struct{} // closed when run has ended
}

type sharedVariant struct {
	source, key string
	body        []byte
}

// shares reports whether a variant is kept for all machines: the steps that pages use, and the full
// width of a source, at their default quality. So there are at most ten of a source and a policy.
func (w spec) shares(full int) bool {
	return w.quality == 0 && (w.width == full || slices.Contains(shop.PictureSteps[:], w.width))
}

// get returns a variant. full is the width of the source, 0 if it is not known yet.
func (s *shared) get(ctx context.Context, source string, w spec, full int) (body []byte, ok bool) {
	if s.store == nil || !w.shares(full) || time.Now().UnixNano() < s.asked.Load() {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, sharedWait)
	defer cancel()
	body, err := s.store.Derived(ctx, source, w.key(source))
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		s.failed("read", err)
	}
	return body, err == nil
}

// put stores a variant in the background.
func (s *shared) put(source string, w spec, full int, body []byte) {
	if s.store == nil || !w.shares(full) {
		return
	}
	select {
	case s.puts <- sharedVariant{source, w.key(source), body}:
	default: // the store is slow: another machine makes it again
	}
}

// run stores variants until ctx ends.
func (s *shared) run(ctx context.Context) {
	defer close(s.stored)
	for {
		select {
		case v := <-s.puts:
			if err := s.store.PutDerived(ctx, v.source, v.key, v.body); err != nil && ctx.Err() == nil {
				s.failed("store", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *shared) failed(verb string, err error) {
	s.asked.Store(time.Now().Add(sharedPause).UnixNano())
	s.log.Warn("resizer: cannot "+verb+" a variant for all machines; they are made here for a while", "error", err)
}
