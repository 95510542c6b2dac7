package access

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"vitrine/internal/secret"
)

const (
	maxHashes         = 2   // argon2id needs 19 MiB and 20 ms
	maxQueue          = 200 // waiters, which is two seconds of work
	maxQueueOfNetwork = 20  // waiters from one network
)

// hashing is the queue for argon2id. Waiters are served by priority, then in order: a network
// with recent failures waits behind those without, so that its two hundred wrong passwords
// delay a right one from elsewhere only by the one being hashed. A full queue refuses its last
// waiter. (Package semaphore serves in order and has no limit.)
type hashing struct {
	mu    sync.Mutex
	busy  int
	queue []*waiter
}

// priority is a position in the queue. The zero priority is for calls of signed-in people and
// of the program itself.
type priority struct {
	from netip.Prefix // the network whose limit applies; zero: none
	rank int          // higher is served later
}

// highestRank is served before everyone else: a known network of an account is not delayed by a
// flood from that network or at that account.
const highestRank = -1

type waiter struct {
	priority
	turn chan bool // true: hash now; false: displaced by a waiter with a better priority
}

// errQueueFull asks to retry after a second, in which half of the queue is served.
var errQueueFull = ErrTooManyAttempts.With("too many passwords are being checked").RetryAfter(1)

// acquire waits for a hashing slot. The caller returns it with release.
func (h *hashing) acquire(ctx context.Context, at priority) (release func(), err error) {
	w, err := h.enqueue(at)
	if err != nil || w == nil {
		return h.free, err
	}
	select {
	case turn := <-w.turn:
		if !turn {
			return nil, errQueueFull
		}
		return h.free, nil
	case <-ctx.Done():
		h.abandon(w)
		return nil, ctx.Err()
	}
}

// enqueue adds a waiter to the queue. It returns nil if a slot was free and is now taken.
func (h *hashing) enqueue(at priority) (*waiter, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy < maxHashes {
		h.busy++
		return nil, nil
	}
	if at.from.IsValid() && h.of(at.from) >= maxQueueOfNetwork {
		return nil, errQueueFull
	}
	if len(h.queue) >= maxQueue {
		last := h.last()
		if h.queue[last].rank <= at.rank {
			return nil, errQueueFull
		}
		h.queue[last].turn <- false
		h.queue = slices.Delete(h.queue, last, last+1)
	}
	w := &waiter{priority: at, turn: make(chan bool, 1)}
	h.queue = append(h.queue, w)
	return w, nil
}

func (h *hashing) of(network netip.Prefix) (n int) {
	for _, w := range h.queue {
		if w.from == network {
			n++
		}
	}
	return n
}

// last returns the index of the waiter that would be served last: the newest of the lowest
// priority.
func (h *hashing) last() (at int) {
	for i, w := range h.queue {
		if w.rank >= h.queue[at].rank {
			at = i
		}
	}
	return at
}

// free gives a slot back and passes it to the first waiter.
func (h *hashing) free() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		h.busy--
		return
	}
	front := 0
	for i, w := range h.queue {
		if w.rank < h.queue[front].rank {
			front = i
		}
	}
	h.queue[front].turn <- true
	h.queue = slices.Delete(h.queue, front, front+1)
}

// abandon removes a waiter from the queue, and frees the slot if it was just assigned.
func (h *hashing) abandon(w *waiter) {
	h.mu.Lock()
	at := slices.Index(h.queue, w)
	if at >= 0 {
		h.queue = slices.Delete(h.queue, at, at+1)
	}
	h.mu.Unlock()
	if at < 0 && <-w.turn {
		h.free()
	}
}

// Hash hashes a password for a signed-in person or for the program.
func (a *Access) Hash(ctx context.Context, password string) (string, error) {
	return a.hashAt(ctx, priority{}, password)
}

func (a *Access) hashAt(ctx context.Context, at priority, password string) (string, error) {
	release, err := a.hashing.acquire(ctx, at)
	if err != nil {
		return "", err
	}
	defer release()
	return secret.HashPassword(password)
}

// check compares a password for the program itself, where guessing is impossible.
func (a *Access) check(ctx context.Context, phc, password string) (bool, error) {
	release, err := a.hashing.acquire(ctx, priority{})
	if err != nil {
		return false, err
	}
	defer release()
	return secret.CheckPassword(phc, password), nil
}
