package store_test

import (
	"context"
	"testing"

	"vitrine/internal/store"
)

// Many writers of one draft, of which all but one wait, leave connections for others.
func TestWritersOfADraftLeaveConnectionsToOthers(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	draft := store.InDraft(t.Context(), id)
	const writers = 40 // more than connections
	entered, leave, done := make(chan struct{}, writers), make(chan struct{}), make(chan error, writers)
	for range writers {
		go func() {
			done <- s.Write(draft, id, func(*store.Tx) error {
				entered <- struct{}{}
				<-leave
				return nil
			})
		}()
	}
	<-entered
	for range 20 {
		write(t, s, id, func(context.Context, *store.Tx) error { return nil })
		if used := s.PoolStats().InUse; used > 8 {
			t.Errorf("%d connections are in use", used)
		}
	}
	close(leave)
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	// Each ended transaction made room, also those that fail.
	for range writers {
		if err := s.Write(draft, id, func(*store.Tx) error { return context.Canceled }); err == nil {
			t.Error("a failed write succeeded")
		}
	}
}
