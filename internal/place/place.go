// Package place lets some work of each shop go on at once and makes the rest
// wait, so that no shop waits for another's. Places are those of one process.
package place

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop"
)

// Places hands out places. Its memory is bounded by the shops whose work waits
// or goes on. Safe for concurrent use.
type Places struct {
	each  int64
	mu    sync.Mutex
	shops map[shop.CompanyID]*places
}

// places are those of a shop.
type places struct {
	*semaphore.Weighted
	users int // who have one or wait for one
}

// Share is how many places of a shop keep half of the processors free for the others, for
// work that does little but compute.
func Share() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// New gives so many places to each shop.
func New(each int) *Places {
	return &Places{each: int64(each), shops: map[shop.CompanyID]*places{}}
}

// Place waits for a place of a shop until the context ends; leave gives it back.
func (p *Places) Place(ctx context.Context, company shop.CompanyID) (leave func(), err error) {
	own := p.enter(company)
	if err := own.Acquire(ctx, 1); err != nil {
		p.exit(company, own)
		return nil, err
	}
	return func() {
		own.Release(1)
		p.exit(company, own)
	}, nil
}

func (p *Places) enter(company shop.CompanyID) *places {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.shops[company]
	if own == nil {
		own = &places{Weighted: semaphore.NewWeighted(p.each)}
		p.shops[company] = own
	}
	own.users++
	return own
}

func (p *Places) exit(company shop.CompanyID, own *places) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.shops, company)
	}
}
