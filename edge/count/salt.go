package count

import (
	"context"
	"time"

	"vitrine/internal/shop"
)

const (
	saltTimeout = 2 * time.Second
	saltRetry   = time.Second // between attempts to read a salt while the Store is unavailable
)

// salt is the salt of a date. value is nil if it was not available when it was requested.
type salt struct {
	value []byte
	asked time.Time
}

// LoadSalt sets the salt of the day, and requests it from the Store if it is not held yet.
func (d *Day) LoadSalt(ctx context.Context) {
	if value := d.c.saltOf(ctx, d.date); value != nil {
		d.salt.Store(&value)
	}
}

// saltOf is the salt of a date, nil while it is not available.
func (c *Counters) saltOf(ctx context.Context, date shop.Day) []byte {
	c.mu.Lock()
	known := c.salts[date]
	c.mu.Unlock()
	if known.value != nil || c.now().Sub(known.asked) < saltRetry {
		return known.value
	}
	found, err := c.loading.Do(ctx, date.String(), func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, saltTimeout)
		defer cancel()
		value, err := c.store.VisitSalt(ctx, date)
		c.mu.Lock()
		c.salts[date] = salt{value, c.now()}
		c.mu.Unlock()
		return value, err
	})
	if err != nil {
		return nil
	}
	return found.([]byte)
}

// RefreshSalts loads the salts of the dates that are current somewhere on earth, and of
// those about to begin, so that no request waits for one at midnight. It drops all others.
func (c *Counters) RefreshSalts(ctx context.Context) {
	now := c.now()
	first, last := shop.DayOf(now.Add(-12*time.Hour), time.UTC), shop.DayOf(now.Add(15*time.Hour), time.UTC)
	for date := first; date <= last; date++ {
		c.saltOf(ctx, date)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for date := range c.salts {
		if date < first || date > last {
			delete(c.salts, date)
		}
	}
}
