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

// limits are the calls per company and minute, shared by all keys and staff of the company
// (document 1, section 8).
var limits = map[Class]int{Read: 600, Write: 240, Storage: 180, Previews: 30, Pictures: 6000}

// Limiter counts calls in fixed windows of one minute. Take only uses memory. Share, called
// every second, exchanges counts with the other processes of the installation, so that a shop
// has one budget across all of them, accurate to the calls of a second. If the database is
// unavailable, a process uses its own counts and the last ones it received.
//
// Its memory is limited by the number of companies that called in this minute, and only calls
// with a key or a session of a company count for it. Other calls have their own budgets; see
// visitors. (A token bucket such as x/time/rate's is not the window of the specification, and
// two of them cannot be added up.)
type Limiter struct {
	visitors
	now    func() time.Time
	node   uuid.UUID // identifies this process
	mu     sync.Mutex
	window int64
	counts map[counter]int // calls in this process
	others map[counter]int // calls in other processes, as of the last Share
}

type counter struct {
	company shop.CompanyID
	class   Class
}

// NewLimiter returns a Limiter with the given clock.
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
	l.startWindow(now / 60)
	at := counter{company, class}
	if l.counts[at]+l.others[at] >= limit {
		return shop.ErrRateLimited.With(fmt.Sprintf("at most %d calls of this class per minute", limit)).RetryAfter(int(60 - now%60))
	}
	l.counts[at]++
	return nil
}

// Count counts the call in its endpoint's class for a company that the address names, not the
// caller: the shop of an upload address is only known after it was looked up.
func (c *Call) Count(company shop.CompanyID) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(company, c.endpoint.Class)
}

// Take counts the call in an additional class, for the caller's shop.
func (c *Call) Take(class Class) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(c.Company, class)
}

// startWindow starts the window of a minute and clears the counts of the previous one.
func (l *Limiter) startWindow(window int64) {
	if window != l.window {
		l.window = window
		clear(l.counts)
		clear(l.others)
	}
}

// Share exchanges counts with the other processes on the same database. It does nothing if this
// process counted nothing in this minute.
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
		return nil // the counts belong to an earlier minute
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
	l.startWindow(window)
	for at, n := range l.counts {
		own = append(own, store.RateCount{Company: at.company, Class: uint8(at.class), Calls: int32(n)})
	}
	return window, own
}
