// Package flight joins concurrent fetches of the same thing.
package flight

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Group joins concurrent requests for the same thing: one of them fetches it, the others
// use its result. The zero value is ready. A caller waits no longer than its own context lasts. If
// the context of the fetching caller ends, the others do not fail: one of those still waiting
// fetches again. (Package singleflight supports contexts only with a goroutine per flight, which
// would outlive the request that started it.)
type Group struct {
	mu    sync.Mutex
	byKey map[string]*flight
}

// flight is one fetch. All other fields are written before done is closed.
type flight struct {
	done     chan struct{}
	v        any
	err      error
	timedOut bool // the context of the fetching caller had ended
}

// Do runs fetch, which must end with the context, once among all concurrent callers with
// the same key. A panic in fetch becomes an error for each of them instead of ending the
// process.
func (f *Group) Do(ctx context.Context, key string, fetch func() (any, error)) (any, error) {
	for {
		fl, ours := f.join(key)
		if ours {
			fl.v, fl.err = safely(fetch)
			fl.timedOut = fl.err != nil && ctx.Err() != nil
			f.finish(key, fl)
			return fl.v, fl.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-fl.done:
			if !fl.timedOut {
				return fl.v, fl.err
			}
		}
	}
}

// join returns the flight in progress, or a new one that the caller must run.
func (f *Group) join(key string) (fl *flight, ours bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl = f.byKey[key]; fl != nil {
		return fl, false
	}
	if f.byKey == nil {
		f.byKey = map[string]*flight{}
	}
	fl = &flight{done: make(chan struct{})}
	f.byKey[key] = fl
	return fl, true
}

func (f *Group) finish(key string, fl *flight) {
	f.mu.Lock()
	delete(f.byKey, key)
	f.mu.Unlock()
	close(fl.done)
}

// safely turns a panic into an error.
func safely(fetch func() (any, error)) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fetch()
}
