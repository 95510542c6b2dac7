package access

import (
	"maps"
	"math"
	"sync"
	"time"
)

const (
	triesPerWindow = 10 // failed logins of one email in 15 minutes
	tryWindow      = 15 * time.Minute
	maxTries       = 10000
)

// try counts a try, or refuses it with the seconds to wait.
func (a *Access) try(who string) error {
	if wait, ok := a.tries.take(who, a.now()); !ok {
		return ErrTooManyTries.With("too many tries").RetryAfter(int(math.Ceil(wait.Seconds())))
	}
	return nil
}

// tries counts logins by email, before the password is looked at, so that many
// at once are no way around. It is bounded: when it is full of fresh entries,
// further emails are not remembered, only slowed by the hashing gate.
type tries struct {
	mu   sync.Mutex
	seen map[string]try
}

type try struct {
	count int
	since time.Time
}

// take counts a try, or says how long to wait.
func (t *tries) take(who string, now time.Time) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen, known := t.seen[who]
	if known && now.Sub(seen.since) >= tryWindow {
		seen, known = try{}, false
	}
	if !known {
		seen.since = now
		t.forgetOld(now)
	}
	if seen.count >= triesPerWindow {
		return tryWindow - now.Sub(seen.since), false
	}
	seen.count++
	if _, kept := t.seen[who]; kept || len(t.seen) < maxTries {
		t.seen[who] = seen
	}
	return 0, true
}

// giveBack takes back a try that was right.
func (t *tries) giveBack(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if seen, known := t.seen[who]; known {
		seen.count--
		t.seen[who] = seen
	}
}

func (t *tries) forgetOld(now time.Time) {
	if len(t.seen) >= maxTries {
		maps.DeleteFunc(t.seen, func(_ string, old try) bool { return now.Sub(old.since) >= tryWindow })
	}
}
