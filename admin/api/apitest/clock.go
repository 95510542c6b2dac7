package apitest

import (
	"sync"
	"testing"
	"time"
)

// Clock is the clock of an API. It starts at the real time and stands still until it is
// advanced, which also starts the next window of the rate limits.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the API's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// logWriter sends the API's log to the test's log, so that the cause of an INTERNAL response is
// printed with the failure.
type logWriter struct{ t testing.TB }

func (w logWriter) Write(line []byte) (int, error) {
	w.t.Logf("%s", line)
	return len(line), nil
}
