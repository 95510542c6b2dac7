package media

import (
	"context"
	"sync"

	"vitrine/internal/shop"
)

// fetching is how many addresses one shop is asked for at once; more wait. Slow
// servers that one shop names are no matter of another shop's.
const fetching = 8

// turns lets some calls of each shop go on at once.
type turns struct {
	mu    sync.Mutex
	shops map[shop.CompanyID]*turn
}

// turn is the places of a shop that has calls.
type turn struct {
	places chan struct{}
	calls  int // that have a place or wait for one
}

// take waits for a place and returns what gives it back.
func (t *turns) take(ctx context.Context, company shop.CompanyID) (leave func(), err error) {
	mine := t.enter(company)
	select {
	case mine.places <- struct{}{}:
		return func() { <-mine.places; t.leave(company, mine) }, nil
	case <-ctx.Done():
		t.leave(company, mine)
		return nil, ctx.Err()
	}
}

func (t *turns) enter(company shop.CompanyID) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.shops[company]
	if mine == nil {
		mine = &turn{places: make(chan struct{}, fetching)}
		t.shops[company] = mine
	}
	mine.calls++
	return mine
}

func (t *turns) leave(company shop.CompanyID, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.calls--; mine.calls == 0 {
		delete(t.shops, company)
	}
}
