package edge

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/internal/budget"
	"vitrine/internal/shop"
)

// A PIN of four digits is found within 10,000 tries, from as many networks as one likes,
// and passwords of policies may be as short. So each shop looks at one PIN at a time, and at
// one password of each policy, and the later at the next the more of the last
// ones were wrong: from every 5 seconds to every 4.5 minutes, at which all PINs take a
// month. A right one delays nobody, nor do the first few wrong ones: people mistype.
//
// Who comes in between gets a place in the queue, one for each network, and is told when
// its turn is: otherwise the next look would always go to whoever calls most often. A
// network that has entered the PIN before does not queue. It has a budget that makes it
// look at all PINs within a month as well.
const (
	pinSoonest = 5 * time.Second
	pinSlower  = time.Second / 2 // for each wrong PIN that is not forgiven
	pinLatest  = 270 * time.Second
	pinWrongs  = pinTypos + int((pinLatest-pinSoonest)/pinSlower) // that are remembered; one is forgiven every pinLatest
	pinTypos   = 5                                                // of them that delay nobody
	pinOwn     = 10                                               // wrong ones of a network that is known
	pinKnown   = 30 * 24 * time.Hour

	pinPlaces    = 100              // of a queue
	pinMissed    = 30 * time.Second // after its turn a place is given up
	pinInline    = 16               // visitors who wait for the look under way
	pinMaxQueues = 1000             // those with nothing to remember go when there are more
)

type pinQueues struct {
	now   func() time.Time
	wrong *budget.Budgets[lock]
	own   *budget.Budgets[visitor]
	known *budget.Marks[visitor]

	mu     sync.Mutex
	queues map[lock]*pinQueue
}

// lock is what is tried: the PIN of a shop, or a policy of it.
type lock struct {
	company shop.CompanyID
	policy  shop.PolicyID // 0: the PIN
}

// visitor is a network that tries.
type visitor struct {
	lock
	from netip.Prefix
}

// pinQueue is the one of a shop or of a policy. Who holds looking looks.
type pinQueue struct {
	inline  *semaphore.Weighted
	looking *semaphore.Weighted
	free    time.Time                  // of the wait after the last wrong PIN
	last    budget.Taken               // of it
	places  map[netip.Prefix]time.Time // the turns of networks
}

func newPINQueues(now func() time.Time) *pinQueues {
	return &pinQueues{
		now:   now,
		wrong: budget.New[lock](pinWrongs, time.Duration(pinWrongs)*pinLatest, now),
		own:   budget.New[visitor](pinOwn, pinOwn*pinLatest, now),
		known: budget.NewMarks[visitor](pinKnown, now), queues: map[lock]*pinQueue{},
	}
}

// try looks at a PIN when it is its turn, else it answers how long that is away.
func (q *pinQueues) try(ctx context.Context, who visitor, look func() (right bool, err error)) (right bool, wait time.Duration, err error) {
	if q.known.Has(who) {
		taken, wait := q.own.Take(who)
		if wait > 0 {
			return false, wait, nil
		}
		if right, err = look(); right || err != nil {
			taken.GiveBack()
		}
		if right {
			q.known.Set(who)
		}
		return right, 0, err
	}
	line := q.of(who.lock)
	if !line.inline.TryAcquire(1) {
		return false, pinSoonest, nil
	}
	defer line.inline.Release(1)
	if err := line.looking.Acquire(ctx, 1); err != nil {
		return false, 0, err
	}
	defer line.looking.Release(1)
	if wait := line.turn(who.from, q.now(), q.between(who.lock)); wait > 0 {
		return false, wait, nil
	}
	if right, err = look(); err != nil {
		return false, 0, err
	}
	if right {
		q.known.Set(who)
		return true, 0, nil
	}
	line.last, _ = q.wrong.Take(who.lock) // beyond pinWrongs there is nothing left to slow down
	line.free = q.now().Add(q.between(who.lock))
	return false, 0, nil
}

// forgive takes back the last wrong try: it opened something else.
func (q *pinQueues) forgive(at lock) {
	line := q.of(at)
	if line.looking.TryAcquire(1) {
		line.last.GiveBack()
		line.last, line.free = budget.Taken{}, time.Time{}
		line.looking.Release(1)
	}
}

// between is how long it is from a wrong PIN to the next look.
func (q *pinQueues) between(at lock) time.Duration {
	wrong := q.wrong.Used(at)
	if wrong <= pinTypos {
		return 0
	}
	return min(pinSoonest+time.Duration(wrong-pinTypos)*pinSlower, pinLatest)
}

func (q *pinQueues) of(at lock) *pinQueue {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.queues[at]
	if line == nil {
		if len(q.queues) >= pinMaxQueues {
			q.sweep()
		}
		line = &pinQueue{inline: semaphore.NewWeighted(pinInline), looking: semaphore.NewWeighted(1), places: map[netip.Prefix]time.Time{}}
		q.queues[at] = line
	}
	return line
}

// sweep drops queues in which nobody stands and nothing is to be waited for. Whoever has
// just taken one out of the map looks at one PIN too early at worst.
func (q *pinQueues) sweep() {
	now := q.now()
	for at, line := range q.queues {
		if !line.looking.TryAcquire(1) {
			continue
		}
		line.leave(now)
		if len(line.places) == 0 && !line.free.After(now) {
			delete(q.queues, at)
		}
		line.looking.Release(1)
	}
}

// leave removes the places of networks that missed their turn.
func (l *pinQueue) leave(now time.Time) {
	for from, at := range l.places {
		if now.Sub(at) > pinMissed {
			delete(l.places, from)
		}
	}
}

// turn is how long the turn of a network is away: nothing when it may look now.
func (l *pinQueue) turn(from netip.Prefix, now time.Time, between time.Duration) time.Duration {
	l.leave(now)
	first, last := true, l.free
	at, placed := l.places[from]
	for _, other := range l.places {
		first = first && !other.Before(at)
		if end := other.Add(between); end.After(last) {
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
