// Package await is the wait of tests: it ends long before the time limit of go test, which
// names no cause.
package await

import (
	"context"
	"testing"
	"time"

	"vitrine/internal/race"
)

// Limit is enough on a busy machine.
const Limit = race.TimeFactor * time.Minute

// Until calls done until it reports true, and returns false after Limit.
func Until(done func() bool) bool { return Within(Limit, done) }

// Within is Until for work that takes longer than Limit. The pauses grow, because clients of the
// API have 600 calls per minute.
func Within(limit time.Duration, done func() bool) bool {
	pause := 5 * time.Millisecond
	for deadline := time.Now().Add(limit); !done(); pause = min(pause*11/10+time.Millisecond, 250*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// Next receives from a channel: a value, or the zero value if it is closed. The test fails after
// Limit.
func Next[T any](t testing.TB, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(Limit):
		t.Fatalf("nothing came in %v", Limit)
	}
	return value
}

// Context returns a context that ends after Limit, for programs that may hang.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}
