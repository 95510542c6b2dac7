package access

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"vitrine/internal/secret"
)

const (
	hashAtOnce   = 2   // argon2id takes 19 MiB and 20 ms
	maxLine      = 200 // waiting, which is two seconds
	maxLineOfOne = 20  // waiting, of one network
)

// hashing is the line for argon2id. Who waits is served by priority, then in order:
// a network that failed lately stands behind those that did not, so that its two
// hundred wrong passwords cost a right one from elsewhere the one that is being
// hashed. A line is bounded by refusing whoever stands last. (Package semaphore
// serves in order and has no bound.)
type hashing struct {
	mu   sync.Mutex
	busy int
	line []*waiting
}

// priority is where somebody belongs in the line. The zero priority is for calls of
// people who are signed in, and of the program itself.
type priority struct {
	from   netip.Prefix // whose line it is part of; none: it is bounded by no network's
	behind int          // the higher the later
}

// first is before everybody else: a person whose network is known, whom no flood from
// that network or at that account keeps waiting.
const first = -1

type waiting struct {
	priority
	turn chan bool // true: go on; false: somebody came who goes before
}

// errLineFull asks for a second, in which half of the line is served.
var errLineFull = ErrTooManyTries.With("too many passwords are being checked").RetryAfter(1)

// enter waits for a turn. The caller ends it with release.
func (h *hashing) enter(ctx context.Context, at priority) (release func(), err error) {
	own, err := h.queue(at)
	if err != nil || own == nil {
		return h.next, err
	}
	select {
	case turn := <-own.turn:
		if !turn {
			return nil, errLineFull
		}
		return h.next, nil
	case <-ctx.Done():
		h.leave(own)
		return nil, ctx.Err()
	}
}

// queue is the waiting that was added to the line, nil when it is one's turn.
func (h *hashing) queue(at priority) (*waiting, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy < hashAtOnce {
		h.busy++
		return nil, nil
	}
	if at.from.IsValid() && h.of(at.from) >= maxLineOfOne {
		return nil, errLineFull
	}
	if len(h.line) >= maxLine {
		last := h.last()
		if h.line[last].behind <= at.behind {
			return nil, errLineFull
		}
		h.line[last].turn <- false
		h.line = slices.Delete(h.line, last, last+1)
	}
	own := &waiting{priority: at, turn: make(chan bool, 1)}
	h.line = append(h.line, own)
	return own, nil
}

func (h *hashing) of(network netip.Prefix) (n int) {
	for _, w := range h.line {
		if w.from == network {
			n++
		}
	}
	return n
}

// last is who is served last: of the last priority, the one who came last.
func (h *hashing) last() (at int) {
	for i, w := range h.line {
		if w.behind >= h.line[at].behind {
			at = i
		}
	}
	return at
}

// next ends a turn and gives it to who stands first.
func (h *hashing) next() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.line) == 0 {
		h.busy--
		return
	}
	front := 0
	for i, w := range h.line {
		if w.behind < h.line[front].behind {
			front = i
		}
	}
	h.line[front].turn <- true
	h.line = slices.Delete(h.line, front, front+1)
}

// leave gives up waiting, and the turn if it has just come.
func (h *hashing) leave(own *waiting) {
	h.mu.Lock()
	at := slices.Index(h.line, own)
	if at >= 0 {
		h.line = slices.Delete(h.line, at, at+1)
	}
	h.mu.Unlock()
	if at < 0 && <-own.turn {
		h.next()
	}
}

// hash hashes a password of somebody who is signed in, or of the program.
func (a *Access) hash(ctx context.Context, password string) (string, error) {
	return a.hashAt(ctx, priority{}, password)
}

func (a *Access) hashAt(ctx context.Context, at priority, password string) (string, error) {
	release, err := a.hashing.enter(ctx, at)
	if err != nil {
		return "", err
	}
	defer release()
	return secret.HashPassword(password)
}

// check compares a password for the program itself, which nobody guesses with.
func (a *Access) check(ctx context.Context, phc, password string) (bool, error) {
	release, err := a.hashing.enter(ctx, priority{})
	if err != nil {
		return false, err
	}
	defer release()
	return secret.CheckPassword(phc, password), nil
}
