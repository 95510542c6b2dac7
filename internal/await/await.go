// Package await is the wait of tests: it ends long before the time limit of go test, which
// names no cause.
package await

import "time"

// Limit is enough on a busy machine.
const Limit = time.Minute

// Until calls done until it reports true, and returns false after Limit. The pauses grow, because
// clients of the API have 600 calls per minute.
func Until(done func() bool) bool {
	pause := 5 * time.Millisecond
	for deadline := time.Now().Add(Limit); !done(); pause = min(pause*11/10+time.Millisecond, 250*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}
