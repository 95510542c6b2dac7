package api

import (
	"fmt"
	"sync"
	"time"

	"vitrine/internal/shop"
)

// limits per company and minute, shared by all keys and staff of the company
// (document 1, section 8).
var limits = map[Class]int{Read: 600, Write: 240, Storage: 180}

// Limiter counts calls in fixed windows of one minute. It is local to a
// process and bounded by the number of companies that called in this minute.
type Limiter struct {
	now    func() time.Time
	mu     sync.Mutex
	window int64
	counts map[counter]int
}

type counter struct {
	company shop.CompanyID
	class   Class
}

// NewLimiter takes the clock.
func NewLimiter(now func() time.Time) *Limiter {
	return &Limiter{now: now, counts: map[counter]int{}}
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
	if w := now / 60; w != l.window {
		l.window = w
		clear(l.counts)
	}
	at := counter{company, class}
	if l.counts[at] >= limit {
		return shop.ErrRateLimited.With(fmt.Sprintf("%d calls of this class a minute", limit)).RetryAfter(int(60 - now%60))
	}
	l.counts[at]++
	return nil
}
