// Package limiter bounds how many pieces of work each shop runs at once, so
// that one shop's backlog delays no other shop. The limit is per process.
package limiter

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/shop"
)

// PerShop holds a semaphore for each shop that has work running or waiting, and
// for no other shop, which bounds its memory. Safe for concurrent use.
type PerShop struct {
	limit int64
	mu    sync.Mutex
	shops map[shop.CompanyID]*limited
}

type limited struct {
	*semaphore.Weighted
	users int // callers that hold a slot or wait for one
}

// HalfOfCPUs is the limit for CPU-bound work that leaves half of the processors
// to the other shops.
func HalfOfCPUs() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// New returns a limiter that lets each shop run limit pieces of work at once.
func New(limit int) *PerShop {
	return &PerShop{limit: int64(limit), shops: map[shop.CompanyID]*limited{}}
}

// Acquire waits for a slot of the shop until the context ends. The caller calls
// release when its work is done.
func (p *PerShop) Acquire(ctx context.Context, company shop.CompanyID) (release func(), err error) {
	own := p.join(company)
	if err := own.Acquire(ctx, 1); err != nil {
		p.leave(company, own)
		return nil, err
	}
	return func() {
		own.Release(1)
		p.leave(company, own)
	}, nil
}

func (p *PerShop) join(company shop.CompanyID) *limited {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.shops[company]
	if own == nil {
		own = &limited{Weighted: semaphore.NewWeighted(p.limit)}
		p.shops[company] = own
	}
	own.users++
	return own
}

func (p *PerShop) leave(company shop.CompanyID, own *limited) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.shops, company)
	}
}
