package load

import (
	"context"
	"sync"

	"vitrine/internal/shop"
)

// rendersPerShop is how many site files of one shop are rendered at once,
// previews and builds for robots together (document 3, 4.3).
const rendersPerShop = 2

// Renders hands out the places for renders of site files. Places are those of
// one process. The zero value is ready.
type Renders struct {
	mu     sync.Mutex
	places map[shop.CompanyID]*places
}

type places struct {
	taken chan struct{}
	users int // who wait or render
}

// Place waits for a place of a shop until the context ends; leave gives it back.
func (r *Renders) Place(ctx context.Context, company shop.CompanyID) (leave func(), err error) {
	p := r.enter(company)
	select {
	case p.taken <- struct{}{}:
		return func() {
			<-p.taken
			r.exit(company, p)
		}, nil
	case <-ctx.Done():
		r.exit(company, p)
		return nil, ctx.Err()
	}
}

func (r *Renders) enter(company shop.CompanyID) *places {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.places[company]
	if p == nil {
		p = &places{taken: make(chan struct{}, rendersPerShop)}
		if r.places == nil {
			r.places = map[shop.CompanyID]*places{}
		}
		r.places[company] = p
	}
	p.users++
	return p
}

func (r *Renders) exit(company shop.CompanyID, p *places) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(r.places, company)
	}
}
