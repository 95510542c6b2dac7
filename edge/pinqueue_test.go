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

// pinTester tries PINs at a shop with a clock that only moves when it is set.
type pinTester struct {
	*pinQueues
	at     time.Time
	checks int
}

func newPINTester() *pinTester {
	g := &pinTester{at: time.Unix(1_800_000_000, 0)}
	g.pinQueues = newPINQueues(func() time.Time { return g.at }, &fixture{})
	return g
}

func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 32)
}

func (g *pinTester) enter(company shop.CompanyID, n int, pin bool) (right bool, wait time.Duration) {
	right, wait, err := g.try(context.Background(), visitor{lock{company, 0}, network(n)}, func() (bool, error) { g.checks++; return pin, nil })
	if err != nil {
		panic(err)
	}
	return right, wait
}

// Trying all PINs takes a month from any number of networks.
func TestAFullSearchOfPINsTakesAMonth(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	start, n := g.at, 0
	for g.checks < 10_000 {
		n++
		_, wait := g.enter(7, n%500, false)
		g.at = g.at.Add(min(max(wait, time.Second), 5*time.Second))
		if n > 2_000_000 {
			t.Fatalf("%d checks", g.checks)
		}
	}
	if took := g.at.Sub(start); took < 28*24*time.Hour || took > 33*24*time.Hour {
		t.Errorf("10,000 PINs take %v", took)
	}
	if _, wait := g.enter(8, 1, false); wait != 0 {
		t.Errorf("another shop waits %v", wait)
	}
}

// A network that has entered the PIN once does not shorten that.
func TestAFullSearchFromAKnownNetworkTakesAMonth(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	g.enter(7, 1, true)
	start := g.at
	for g.checks < 10_000 {
		_, wait := g.enter(7, 1, false)
		g.at = g.at.Add(wait)
		if g.at.Sub(start) > 20*24*time.Hour {
			start = start.Add(time.Nanosecond)
			g.known.Set(visitor{lock{7, 0}, network(1)}) // the mark expires after a month, after which the network would queue
		}
	}
	if took := g.at.Sub(start); took < 28*24*time.Hour || took > 33*24*time.Hour {
		t.Errorf("10,000 PINs take %v", took)
	}
}

// A frequent caller does not overtake one that comes at its turn.
func TestTurnsAreKept(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	for range pinTypos + 1 {
		g.enter(7, 1, false)
	}
	_, wait := g.enter(7, 2, true)
	if wait <= 0 || wait > 6*time.Second {
		t.Fatalf("the turn is %v away", wait)
	}
	turn := g.at.Add(wait)
	for g.at.Before(turn) {
		for n := range 50 { // a flood
			if right, wait := g.enter(7, 100+n, false); right || wait == 0 {
				t.Fatalf("%v before the turn, another network was checked", turn.Sub(g.at))
			}
		}
		g.at = g.at.Add(time.Second / 4)
	}
	g.at = turn
	if right, wait := g.enter(7, 2, true); !right {
		t.Errorf("at its turn the network must wait %v", wait)
	}
}

func TestOutageDoesNotUseUpATurn(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	broken := errors.New("broken")
	for range 3 {
		if _, wait, err := g.try(t.Context(), visitor{lock{7, 0}, network(1)}, func() (bool, error) { return false, broken }); !errors.Is(err, broken) || wait != 0 {
			t.Errorf("%v, %v", wait, err)
		}
	}
}

// For any sequence of attempts: checks are never closer than the interval after a wrong
// PIN, queues stay bounded, and a network that was told to wait may check once everybody
// before it has.
func TestPINQueueInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := newPINTester()
		var free time.Time
		known, wrong := map[int]bool{}, 0
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			g.at = g.at.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "ms")) * time.Millisecond)
			n, pin := rapid.IntRange(1, 130).Draw(t, "network"), rapid.IntRange(0, 9).Draw(t, "pin") == 0
			before := g.checks
			right, wait := g.enter(7, n, pin)
			checked := g.checks > before
			if checked == (wait > 0) || right != (checked && pin) {
				t.Fatalf("checked %v, right %v, wait %v", checked, right, wait)
			}
			if checked && !known[n] && g.at.Before(free) {
				t.Fatalf("a check %v too early", free.Sub(g.at))
			}
			if checked && !known[n] && !pin {
				if wrong++; wrong > pinTypos+1 && g.wrong.Spent(lock{7, 0}) > pinTypos {
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

func TestEmptyPINQueuesAreDropped(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	for n := range shop.CompanyID(5000) {
		g.enter(n, 1, false)
		g.at = g.at.Add(time.Second)
	}
	if len(g.queues) > pinMaxQueues {
		t.Errorf("%d queues", len(g.queues))
	}
}

// A password of another policy of the page does not count as a guess at this one.
func TestPasswordOfAnotherPolicyIsForgiven(t *testing.T) {
	t.Parallel()
	g := newPINTester()
	for n := range 5 * pinTypos {
		if _, wait := g.enter(7, n, false); wait != 0 {
			t.Fatalf("try %d waits %v", n, wait)
		}
		if err := g.forgive(t.Context(), lock{7, 0}); err != nil {
			t.Fatal(err)
		}
	}
	if used := g.wrong.Spent(lock{7, 0}); used != 0 {
		t.Errorf("%d tries are remembered", used)
	}
}
