package edge

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

// gatekeeper tries PINs at a shop whose clock stands still unless it is moved.
type gatekeeper struct {
	*pinQueues
	at    time.Time
	looks int
}

func newGatekeeper() *gatekeeper {
	g := &gatekeeper{at: time.Unix(1_800_000_000, 0)}
	g.pinQueues = newPINQueues(func() time.Time { return g.at })
	return g
}

func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 32)
}

func (g *gatekeeper) enter(company shop.CompanyID, n int, pin bool) (right bool, wait time.Duration) {
	right, wait, err := g.try(context.Background(), visitor{lock{company, 0}, network(n)}, func() (bool, error) { g.looks++; return pin, nil })
	if err != nil {
		panic(err)
	}
	return right, wait
}

// Whoever tries all PINs from as many networks as they like needs a month.
func TestAFullSearchOfPINsTakesAMonth(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	start, n := g.at, 0
	for g.looks < 10_000 {
		n++
		_, wait := g.enter(7, n%500, false)
		g.at = g.at.Add(min(max(wait, time.Second), 5*time.Second))
		if n > 2_000_000 {
			t.Fatalf("%d looks", g.looks)
		}
	}
	if took := g.at.Sub(start); took < 28*24*time.Hour || took > 33*24*time.Hour {
		t.Errorf("10,000 PINs take %v", took)
	}
	if _, wait := g.enter(8, 1, false); wait != 0 {
		t.Errorf("another shop waits %v", wait)
	}
}

// A network that has entered the PIN once is no way around that.
func TestAFullSearchFromAKnownNetworkTakesAMonth(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	g.enter(7, 1, true)
	start := g.at
	for g.looks < 10_000 {
		_, wait := g.enter(7, 1, false)
		g.at = g.at.Add(wait)
		if g.at.Sub(start) > 20*24*time.Hour {
			start = start.Add(time.Nanosecond)
			g.known.Set(visitor{lock{7, 0}, network(1)}) // the mark ends after a month; the search would queue then
		}
	}
	if took := g.at.Sub(start); took < 28*24*time.Hour || took > 33*24*time.Hour {
		t.Errorf("10,000 PINs take %v", took)
	}
}

// Who keeps calling does not overtake who comes when told.
func TestATurnIsKept(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	for range pinTypos + 1 {
		g.enter(7, 1, false)
	}
	_, wait := g.enter(7, 2, true)
	if wait <= 0 || wait > 6*time.Second {
		t.Fatalf("a place is %v away", wait)
	}
	turn := g.at.Add(wait)
	for g.at.Before(turn) {
		for n := range 50 { // a flood
			if right, wait := g.enter(7, 100+n, false); right || wait == 0 {
				t.Fatalf("%v before the turn, somebody else is looked at", turn.Sub(g.at))
			}
		}
		g.at = g.at.Add(time.Second / 4)
	}
	g.at = turn
	if right, wait := g.enter(7, 2, true); !right {
		t.Errorf("at the turn there are %v to wait", wait)
	}
}

func TestAnOutageTakesNoTurn(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	broken := errors.New("broken")
	for range 3 {
		if _, wait, err := g.try(t.Context(), visitor{lock{7, 0}, network(1)}, func() (bool, error) { return false, broken }); !errors.Is(err, broken) || wait != 0 {
			t.Errorf("%v, %v", wait, err)
		}
	}
}

// Whatever comes in whatever order: looks are never closer than the wait after a wrong
// PIN, queues stay bounded, and who is told to wait may look once everybody before has.
func TestPINQueuesKeepTheirRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := newGatekeeper()
		var free time.Time
		known, wrong := map[int]bool{}, 0
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			g.at = g.at.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "ms")) * time.Millisecond)
			n, pin := rapid.IntRange(1, 130).Draw(t, "network"), rapid.IntRange(0, 9).Draw(t, "pin") == 0
			before := g.looks
			right, wait := g.enter(7, n, pin)
			looked := g.looks > before
			if looked == (wait > 0) || right != (looked && pin) {
				t.Fatalf("looked %v, right %v, wait %v", looked, right, wait)
			}
			if looked && !known[n] && g.at.Before(free) {
				t.Fatalf("a look %v too early", free.Sub(g.at))
			}
			if looked && !known[n] && !pin {
				if wrong++; wrong > pinTypos+1 && g.wrong.Used(lock{7, 0}) > pinTypos {
					free = g.at.Add(pinSoonest)
				}
			}
			known[n] = known[n] || right
			if len(g.queues[lock{7, 0}].places) > pinPlaces {
				t.Fatal("the queue has no bound")
			}
		}
	})
}

func TestQueuesWithNothingToRememberGo(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	for n := range shop.CompanyID(5000) {
		g.enter(n, 1, false)
		g.at = g.at.Add(time.Second)
	}
	if len(g.queues) > pinMaxQueues {
		t.Errorf("%d queues", len(g.queues))
	}
}

// A password that is meant for another policy of the page is no guess at this one.
func TestWhatOpensSomethingElseSlowsNobody(t *testing.T) {
	t.Parallel()
	g := newGatekeeper()
	for n := range 5 * pinTypos {
		if _, wait := g.enter(7, n, false); wait != 0 {
			t.Fatalf("try %d waits %v", n, wait)
		}
		g.forgive(lock{7, 0})
	}
	if used := g.wrong.Used(lock{7, 0}); used != 0 {
		t.Errorf("%d tries are remembered", used)
	}
}
