package edge

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/budget"
	"vitrine/internal/shop"
)

// A PIN of four digits is found within 10,000 attempts from any number of networks, and
// passwords of policies may be as short. So each shop checks one PIN at a time, and one
// password of each policy, and the interval to the next check grows with the number of
// recent wrong ones: from 5 seconds to 4.5 minutes, at which trying all PINs takes a month.
// A right one delays nobody, nor do the first few wrong ones: people mistype.
//
// Attempts in between get a place in the queue, one for each network, and are told when
// their turn is: otherwise the most frequent caller would always get the next check. A
// network that has entered the PIN before does not queue. It has its own budget, under
// which trying all PINs takes a month as well.
const (
	pinSoonest = 5 * time.Second
	pinSlower  = time.Second / 2 // added for each remembered wrong PIN
	pinLatest  = 270 * time.Second
	pinWrongs  = pinTypos + int((pinLatest-pinSoonest)/pinSlower) // wrong PINs remembered; one is forgiven every pinLatest
	pinTypos   = 5                                                // of these, wrong PINs that delay nobody
	pinOwn     = 10                                               // wrong PINs of a known network
	pinKnown   = 30 * 24 * time.Hour

	pinPlaces    = 100              // in a queue
	pinMissed    = 30 * time.Second // time after its turn at which a place is dropped
	pinInline    = 16               // visitors waiting for the check in progress
	pinMaxQueues = 1000             // above this, queues without state are dropped
)

// The queue is one of this process; all processes together keep the pace (pinPace).
type pinQueues struct {
	now   func() time.Time
	pace  pinPace
	wrong *budget.Budgets[lock]
	own   *budget.Budgets[visitor]
	known *budget.Marks[visitor]

	mu     sync.Mutex
	queues map[lock]*pinQueue
}

// pinPace counts wrong PINs over all processes; it is a part of Source.
type pinPace interface {
	GuessPIN(ctx context.Context, g PINGuess) (wait time.Duration, err error)
	ForgivePIN(ctx context.Context, g PINGuess, made time.Time) error
}

// PINGuess is a PIN, or a password of a policy, that is counted as wrong before it is compared.
type PINGuess struct {
	Company shop.CompanyID
	Policy  shop.PolicyID // 0: the PIN of the shop
	From    netip.Prefix  // a network that has entered it before and does not queue; zero: all others
}

// The limits of guesses, for those who count them.
const (
	PINWrongs  = pinWrongs  // wrong PINs of a lock that are remembered; one is forgiven every PINLatest
	PINOwn     = pinOwn     // wrong PINs of a network that does not queue, forgiven likewise
	PINTypos   = pinTypos   // wrong PINs that delay nobody
	PINSoonest = pinSoonest // from the next one to the check after it
	PINSlower  = pinSlower  // more for each further one
	PINLatest  = pinLatest  // at most
)

// lock is what a secret opens: a shop, by its PIN, or a policy of it.
type lock struct {
	company shop.CompanyID
	policy  shop.PolicyID // 0: the PIN of the shop
}

// visitor is a network that tries to open a lock.
type visitor struct {
	lock
	from netip.Prefix
}

// pinQueue is the queue of a lock. The holder of checking may check, and owns the fields
// below it.
type pinQueue struct {
	inline   *semaphore.Weighted
	checking *semaphore.Weighted
	free     time.Time                  // end of the wait after the last wrong PIN
	last     budget.Attempt             // the last wrong PIN in the budget
	guessed  time.Time                  // when it was counted for all processes
	places   map[netip.Prefix]time.Time // turns of the networks in the queue
}

func newPINQueues(now func() time.Time, pace pinPace) *pinQueues {
	return &pinQueues{
		now: now, pace: pace,
		wrong: budget.New[lock](pinWrongs, time.Duration(pinWrongs)*pinLatest, now),
		own:   budget.New[visitor](pinOwn, pinOwn*pinLatest, now),
		known: budget.NewMarks[visitor](pinKnown, now), queues: map[lock]*pinQueue{},
	}
}

// try checks a PIN if it is the turn of the network, else it returns the time until that
// turn.
func (q *pinQueues) try(ctx context.Context, who visitor, check func() (right bool, err error)) (right bool, wait time.Duration, err error) {
	if q.known.Has(who) {
		taken, wait := q.own.Take(who)
		if wait > 0 {
			return false, wait, nil
		}
		right, _, wait, err := q.compare(ctx, PINGuess{who.company, who.policy, who.from}, check)
		if right || err != nil || wait > 0 {
			taken.GiveBack()
		}
		if right {
			q.known.Set(who)
		}
		return right, wait, err
	}
	line := q.queue(who.lock)
	if !line.inline.TryAcquire(1) {
		return false, pinSoonest, nil
	}
	defer line.inline.Release(1)
	if err := line.checking.Acquire(ctx, 1); err != nil {
		return false, 0, err
	}
	defer line.checking.Release(1)
	if wait := line.turn(who.from, q.now(), q.interval(who.lock)); wait > 0 {
		return false, wait, nil
	}
	right, made, wait, err := q.compare(ctx, PINGuess{Company: who.company, Policy: who.policy}, check)
	if err != nil {
		return false, 0, err
	}
	if wait > 0 { // other processes have checked some
		line.free = q.now().Add(wait)
		return false, max(wait, line.turn(who.from, q.now(), q.interval(who.lock))), nil
	}
	if right {
		q.known.Set(who)
		return true, 0, nil
	}
	line.guessed = made
	line.last, _ = q.wrong.Take(who.lock) // beyond pinWrongs the interval no longer grows
	line.free = q.now().Add(q.interval(who.lock))
	return false, 0, nil
}

// compare makes a guess that all processes count, unless it was right.
func (q *pinQueues) compare(ctx context.Context, g PINGuess, check func() (bool, error)) (right bool, made time.Time, wait time.Duration, err error) {
	made = q.now()
	if wait, err = q.pace.GuessPIN(ctx, g); wait > 0 || err != nil {
		return false, made, wait, err
	}
	if right, err = check(); right || err != nil {
		err = errors.Join(err, q.pace.ForgivePIN(context.WithoutCancel(ctx), g, made))
	}
	return right, made, 0, err
}

// forgive takes back the last wrong attempt: the password opened another policy.
func (q *pinQueues) forgive(ctx context.Context, at lock) error {
	line := q.queue(at)
	if !line.checking.TryAcquire(1) {
		return nil
	}
	defer line.checking.Release(1)
	line.last.GiveBack()
	made := line.guessed
	line.last, line.free, line.guessed = budget.Attempt{}, time.Time{}, time.Time{}
	if made.IsZero() {
		return nil
	}
	return q.pace.ForgivePIN(ctx, PINGuess{Company: at.company, Policy: at.policy}, made)
}

// interval is the time from a wrong PIN to the next check.
func (q *pinQueues) interval(at lock) time.Duration {
	wrong := q.wrong.Spent(at)
	if wrong <= pinTypos {
		return 0
	}
	return min(pinSoonest+time.Duration(wrong-pinTypos)*pinSlower, pinLatest)
}

func (q *pinQueues) queue(at lock) *pinQueue {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.queues[at]
	if line == nil {
		if len(q.queues) >= pinMaxQueues {
			q.sweep()
		}
		line = &pinQueue{inline: semaphore.NewWeighted(pinInline), checking: semaphore.NewWeighted(1), places: map[netip.Prefix]time.Time{}}
		q.queues[at] = line
	}
	return line
}

// sweep drops queues without places and without a wait. A caller that has just taken one
// out of the map checks one PIN too early at worst.
func (q *pinQueues) sweep() {
	now := q.now()
	for at, line := range q.queues {
		if !line.checking.TryAcquire(1) {
			continue
		}
		line.dropMissed(now)
		if len(line.places) == 0 && !line.free.After(now) {
			delete(q.queues, at)
		}
		line.checking.Release(1)
	}
}

// dropMissed removes the places of networks that missed their turn.
func (l *pinQueue) dropMissed(now time.Time) {
	for from, at := range l.places {
		if now.Sub(at) > pinMissed {
			delete(l.places, from)
		}
	}
}

// turn is the time until the turn of a network: 0 if it may check now.
func (l *pinQueue) turn(from netip.Prefix, now time.Time, interval time.Duration) time.Duration {
	l.dropMissed(now)
	first, last := true, l.free
	at, placed := l.places[from]
	for _, other := range l.places {
		first = first && !other.Before(at)
		if end := other.Add(interval); end.After(last) {
			last = end
		}
	}
	switch {
	case placed && !l.free.After(now) && (first || !at.After(now)), len(l.places) == 0 && !l.free.After(now):
		delete(l.places, from)
		return 0
	case !placed:
		at = last
	case at.Before(l.free):
		at = l.free
	}
	if placed || len(l.places) < pinPlaces {
		l.places[from] = at
	}
	return at.Sub(now)
}
