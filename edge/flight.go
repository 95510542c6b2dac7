package edge

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// flights joins those who want the same thing at the same time: one of them
// fetches it, the others take its answer. Everybody waits no longer than their
// own context lasts, and nobody is refused because another's is over: then one of
// those who still wait fetches it. (Package singleflight knows no contexts but by
// a goroutine for each flight, which would outlive the request it was begun for.)
type flights struct {
	mu    sync.Mutex
	byKey map[string]*flight
}

// flight is one fetch; all but landed is written before that is closed.
type flight struct {
	landed chan struct{}
	v      any
	err    error
	spent  bool // the time of the one who fetched was over
}

// do runs fetch, which ends with the context, once among all callers with the
// same key. A panic in it is an error for each of them, not the end of the
// process.
func (f *flights) do(ctx context.Context, key string, fetch func() (any, error)) (any, error) {
	for {
		fl, ours := f.board(key)
		if ours {
			fl.v, fl.err = safely(fetch)
			fl.spent = fl.err != nil && ctx.Err() != nil
			f.land(key, fl)
			return fl.v, fl.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-fl.landed:
			if !fl.spent {
				return fl.v, fl.err
			}
		}
	}
}

// board returns the flight under way, or a new one, which is the caller's.
func (f *flights) board(key string) (fl *flight, ours bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl = f.byKey[key]; fl != nil {
		return fl, false
	}
	if f.byKey == nil {
		f.byKey = map[string]*flight{}
	}
	fl = &flight{landed: make(chan struct{})}
	f.byKey[key] = fl
	return fl, true
}

func (f *flights) land(key string, fl *flight) {
	f.mu.Lock()
	delete(f.byKey, key)
	f.mu.Unlock()
	close(fl.landed)
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
