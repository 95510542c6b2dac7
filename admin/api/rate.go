package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// limits are the calls per company and minute, shared by all keys and staff of the company
// (document 1, section 8).
var limits = map[Class]int{Read: 600, Write: 240, Storage: 180, Previews: 30, Pictures: 6000}

// Limiter counts calls in fixed windows of one minute. A process takes calls from the budget of
// all processes in portions of a hundredth of the limit, which the database counts, so that all of
// them together admit no more than the limit, and no process more than a portion in vain: with ten
// of them, a tenth of the budget is left to others that do not use it. If the database is
// unavailable, a process admits up to the limit by itself.
//
// Its memory is limited by the number of companies that called in this minute, and only calls
// with a key or a session of a company count for it. Other calls have their own budgets; see
// visitors. (A token bucket such as x/time/rate's is not the window of the specification.)
type Limiter struct {
	visitors
	now    func() time.Time
	store  *store.Store
	mu     sync.Mutex
	window int64
	shares map[counter]*share
}

type counter struct {
	company shop.CompanyID
	class   Class
}

// share is what a process may admit of a company's calls in a minute.
type share struct {
	mu    sync.Mutex // held while a portion is taken
	calls int        // admitted
	left  int        // of the portions taken so far
	over  bool       // the budget has none left
}

const (
	portions    = 100
	portionTime = time.Second // to take one
)

// errAlone makes a process without a database count alone.
var errAlone = errors.New("no database")

// NewLimiter returns a Limiter with the given clock. Without a store it counts alone.
func NewLimiter(now func() time.Time, s *store.Store) *Limiter {
	count := func(context.Context, string, string, time.Duration, time.Duration, int) (time.Duration, error) {
		return 0, errAlone
	}
	if s != nil {
		count = s.CountAttempts
	}
	return &Limiter{visitors: newVisitors(now, count), now: now, store: s, shares: map[counter]*share{}}
}

// Take counts one call, or refuses it with RATE_LIMITED and the seconds until
// the window ends.
func (l *Limiter) Take(ctx context.Context, company shop.CompanyID, class Class) error {
	limit, limited := limits[class]
	if !limited || company == 0 {
		return nil
	}
	now := l.now().Unix()
	if !l.share(now/60, counter{company, class}).take(limit, func(portion int) (calls int, err error) {
		if l.store == nil {
			return 0, errAlone
		}
		ctx, cancel := context.WithTimeout(ctx, portionTime)
		defer cancel()
		return l.store.TakeRate(ctx, now/60, company, uint8(class), portion)
	}) {
		return shop.ErrRateLimited.With(fmt.Sprintf("at most %d calls of this class per minute", limit)).RetryAfter(int(60 - now%60))
	}
	return nil
}

// share returns the share in the window of a minute; those of former windows are dropped.
func (l *Limiter) share(window int64, at counter) *share {
	l.mu.Lock()
	defer l.mu.Unlock()
	if window != l.window {
		l.window = window
		clear(l.shares)
	}
	own := l.shares[at]
	if own == nil {
		own = &share{}
		l.shares[at] = own
	}
	return own
}

// take admits a call. more takes a portion and returns the number of calls that all processes have
// taken with it.
func (s *share) take(limit int, more func(portion int) (calls int, err error)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 && !s.over {
		portion := max(1, limit/portions)
		calls, err := more(portion)
		if err != nil {
			portion, calls = 1, s.calls+1
		}
		s.left = max(0, portion-max(0, calls-limit))
		s.over = calls >= limit
	}
	if s.left == 0 {
		return false
	}
	s.left--
	s.calls++
	return true
}

// Count counts the call in its endpoint's class for a company that the address names, not the
// caller: the shop of an upload address is only known after it was looked up.
func (c *Call) Count(ctx context.Context, company shop.CompanyID) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(ctx, company, c.endpoint.Class)
}

// Take counts the call in an additional class, for the caller's shop.
func (c *Call) Take(ctx context.Context, class Class) error {
	if c.limiter == nil {
		return nil
	}
	return c.limiter.Take(ctx, c.Company, class)
}
