package api

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// limits per company and minute, shared by all keys and staff of the company
// (document 1, section 8).
var limits = map[Class]int{Read: 600, Write: 240, Storage: 180, Previews: 30}

// Limiter counts calls in fixed windows of one minute. Take looks at memory
// only. Share, called every second, tells the other processes of the
// installation what this one counted and learns what they did, so that a shop
// has one budget on all of them, to the calls of a second. Without the database
// a process limits by what it counted and last heard.
//
// It is bounded by the number of companies that called in this minute, and no
// call without a key or a session of the company counts for it. Those have
// budgets of their own; see visitors. (A token bucket such as x/time/rate's is
// not the window of the specification, nor can two of them be added up.)
type Limiter struct {
	visitors
	now    func() time.Time
	node   uuid.UUID // of this process
	mu     sync.Mutex
	window int64
	counts map[counter]int // calls here
	others map[counter]int // calls elsewhere, as of the last Share
}

type counter struct {
	company shop.CompanyID
	class   Class
}

// NewLimiter takes the clock.
func NewLimiter(now func() time.Time) *Limiter {
	return &Limiter{visitors: newVisitors(now), now: now, node: uuid.New(), counts: map[counter]int{}, others: map[counter]int{}}
}

// Take counts one call, or refuses it with RATE_LIMITED and the seconds until
// the window ends.
func (l *Limiter) Take(company shop.CompanyID, class Class) error {
	limit, limited := limits[class]
	if !limited || company == 0 {
		return nil
	}
	now := l.now().Unix()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now / 60)
	at := counter{company, class}
	if l.counts[at]+l.others[at] >= limit {
		return shop.ErrRateLimited.With(fmt.Sprintf("%d calls of this class a minute", limit)).RetryAfter(int(60 - now%60))
	}
	l.counts[at]++
	return nil
}

// Count counts the call in its row's class for a company that the address, not
// the caller, has named: an upload address knows its shop only once it was
// looked up.
func (c *Call) Count(company shop.CompanyID) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(company, c.endpoint.Class)
}

// Take counts the call in another class too, for the caller's shop.
func (c *Call) Take(class Class) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(c.Company, class)
}

// turn opens the window of a minute, forgetting the one before.
func (l *Limiter) turn(window int64) {
	if window != l.window {
		l.window = window
		clear(l.counts)
		clear(l.others)
	}
}

// Share exchanges counts with the other processes on the same database. A
// process that counted nothing in this minute asks nothing.
func (l *Limiter) Share(ctx context.Context, s *store.Store) error {
	window, own := l.counted()
	if len(own) == 0 {
		return nil
	}
	others, err := s.ShareRates(ctx, l.node, window, own)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.window != window {
		return nil // the answer is about a minute that is over
	}
	for _, c := range others {
		l.others[counter{c.Company, Class(c.Class)}] = int(c.Calls)
	}
	return nil
}

func (l *Limiter) counted() (window int64, own []store.RateCount) {
	window = l.now().Unix() / 60
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(window)
	for at, n := range l.counts {
		own = append(own, store.RateCount{Company: at.company, Class: uint8(at.class), Calls: int32(n)})
	}
	return window, own
}
