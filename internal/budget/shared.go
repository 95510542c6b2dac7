package budget

import (
	"context"
	"sync"
	"time"
)

// Count counts attempts of a key of the budgets with a name for all processes, which have one attempt
// back after each and at most as many as most pays for. It returns how far ahead the key's attempts
// are paid for.
type Count func(ctx context.Context, name, key string, each, most time.Duration, attempts int) (ahead time.Duration, err error)

// Key is a key that is the same in all processes.
type Key interface {
	comparable
	String() string
}

// Shared returns budgets that all processes share: a process reports attempts in portions of a
// fiftieth of the limit, and learns what the others have reported. So n processes together admit at most
// the limit and n portions. A process that cannot tell counts alone for a while.
func Shared[K Key](name string, limit int, window time.Duration, now func() time.Time, count Count) *Budgets[K] {
	b := New[K](limit, window, now)
	b.telling = &telling[K]{name: name, portion: max(1, limit/portions), count: count, text: K.String, untold: map[K]int{}}
	return b
}

const (
	portions  = 50
	maxUntold = 10_000           // keys; then what they have not told is forgotten, less than a portion each
	tellTime  = time.Second      // to tell
	aloneTime = 10 * time.Second // after a failure
)

// telling is what other processes are told.
type telling[K comparable] struct {
	name    string
	portion int
	count   Count
	text    func(K) string

	mu     sync.Mutex
	untold map[K]int // attempts
	alone  time.Time // until when nothing is told
}

// add changes the number of attempts of a key that were not told.
func (t *telling[K]) add(key K, attempts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.untold) >= maxUntold {
		clear(t.untold)
	}
	t.untold[key] += attempts
}

// take returns the attempts of a key to tell now, 0 if none are.
func (t *telling[K]) take(key K, now time.Time) (attempts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.untold[key] < t.portion || now.Before(t.alone) {
		return 0
	}
	attempts = t.untold[key]
	delete(t.untold, key)
	return attempts
}

// failed keeps attempts that could not be told.
func (t *telling[K]) failed(key K, attempts int, now time.Time) {
	t.add(key, attempts)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alone = now.Add(aloneTime)
}

// tell counts an attempt that the own budget has admitted.
func (b *Budgets[K]) tell(key K, hash uint64) {
	t := b.telling
	t.add(key, 1)
	attempts := t.take(key, b.now())
	if attempts == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	ahead, err := t.count(ctx, t.name, t.text(key), time.Duration(b.each), time.Duration(b.most), attempts)
	if err != nil {
		t.failed(key, attempts, b.now())
		return
	}
	b.raise(hash, b.now().UnixNano(), min(int64(ahead), b.most))
}
