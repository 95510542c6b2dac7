package flight

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

const timeout = 10 * time.Second

// A request that joins a slow fetch late can wait as long as any other: after a timeout the
// page is fetched again for those still waiting.
func TestLateWaitersGetTheirWholeTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Group
		fetched := 0
		visit := func(answers chan<- error) {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			v, err := f.Do(ctx, "page", func() (any, error) {
				fetched++
				if fetched == 1 { // the database hangs, once
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return "drawn", nil
			})
			if err == nil && v != "drawn" {
				t.Errorf("the answer is %v", v)
			}
			answers <- err
		}
		first, late := make(chan error, 1), make(chan error, 3)
		go visit(first)
		time.Sleep(timeout - time.Second) // in the clock of the bubble
		for range cap(late) {
			go visit(late)
		}
		if err := <-first; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first: %v", err)
		}
		for range cap(late) {
			if err := <-late; err != nil {
				t.Errorf("a late one: %v", err)
			}
		}
		if fetched > 1+cap(late) {
			t.Errorf("fetched %d times", fetched)
		}
	})
}

// A caller does not wait beyond its own timeout for a fetch with a longer one.
func TestWaitersObserveTheirOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Group
		landed, left := make(chan struct{}), make(chan error, 1)
		go func() {
			if _, err := f.Do(t.Context(), "page", func() (any, error) { <-landed; return nil, nil }); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		go func() {
			_, err := f.Do(ctx, "page", func() (any, error) { return nil, nil })
			left <- err
		}()
		if err := <-left; !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		close(landed)
	})
}

// A failure that is no timeout, including a panic, fails for all waiters.
func TestFailedFlightFailsForAllWaiters(t *testing.T) {
	for name, fetch := range map[string]func() (any, error){
		"an error": func() (any, error) { return nil, errors.ErrUnsupported },
		"a panic":  func() (any, error) { panic("oh") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var f Group
			goOn, failed := make(chan struct{}), make(chan error, 5)
			fetched := 0
			for range cap(failed) {
				go func() {
					_, err := f.Do(t.Context(), "page", func() (any, error) { fetched++; <-goOn; return fetch() })
					failed <- err
				}()
			}
			synctest.Wait()
			close(goOn)
			for range cap(failed) {
				if err := <-failed; err == nil {
					t.Errorf("%s: a waiter got no error", name)
				}
			}
			if fetched != 1 {
				t.Errorf("%s: fetched %d times", name, fetched)
			}
		})
	}
}
