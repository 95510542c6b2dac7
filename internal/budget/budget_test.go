package budget

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// clock stands still unless a test advances it.
type clock struct{ at time.Time }

func newClock() *clock                   { return &clock{time.Unix(1_200_000_000, 0)} }
func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

func taken[K comparable](b *Budgets[K], key K, tries int) (ok int) {
	for range tries {
		if _, wait := b.Take(key); wait == 0 {
			ok++
		}
	}
	return ok
}

func TestBudgetMayBeSpentAtOnceAndIsEarnedBackEvenly(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := New[string](10, 15*time.Minute, c.now)
	if n := taken(b, "ann", 30); n != 10 {
		t.Errorf("%d tries at once", n)
	}
	if _, wait := b.Take("ann"); wait != 90*time.Second || b.Wait("ann") != wait || b.Spent("ann") != 10 {
		t.Errorf("the next attempt is %v away, %d used", wait, b.Spent("ann"))
	}
	if b.Wait("bob") != 0 || taken(b, "bob", 1) != 1 {
		t.Error("another key shares the budget")
	}
	c.advance(89 * time.Second)
	if n := taken(b, "ann", 1); n != 0 {
		t.Error("an attempt came back early")
	}
	c.advance(time.Second)
	if n := taken(b, "ann", 5); n != 1 {
		t.Errorf("%d tries after 90 seconds", n)
	}
	c.advance(15 * time.Minute)
	if n := taken(b, "ann", 30); n != 10 {
		t.Errorf("%d tries after the window", n)
	}
}

// A machine whose clock is set back keeps no one waiting until it shows the same time again.
func TestAClockThatIsSetBackDelaysNobody(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := New[string](10, 15*time.Minute, c.now)
	m := NewMarks[string](time.Hour, c.now)
	taken(b, "ann", 30)
	m.Set("ann")
	for range 3 {
		c.advance(-24 * time.Hour)
		if n := taken(b, "ann", 30); n != 0 {
			t.Errorf("%d tries came back with the clock", n)
		}
		if n := taken(b, "bob", 30); n > 10 {
			t.Errorf("another key had %d tries", n)
		}
		if !m.Has("ann") {
			t.Error("the mark expired with the clock")
		}
		c.advance(90 * time.Second)
		if n := taken(b, "ann", 30); n != 1 {
			t.Errorf("%d tries after 90 seconds", n)
		}
	}
	c.advance(time.Hour)
	if m.Has("ann") || taken(b, "ann", 30) != 10 {
		t.Error("what was kept did not expire")
	}
}

func TestGiveBack(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := New[string](2, time.Minute, c.now)
	for range 50 {
		right, wait := b.Take("ann")
		if wait != 0 {
			t.Fatal("attempts that were given back count")
		}
		right.GiveBack()
	}
	old, _ := b.Take("ann")
	c.advance(40 * time.Second)
	if old.GiveBack(); taken(b, "ann", 9) != 2 {
		t.Error("an attempt that was earned back is returned again")
	}
	Attempt{}.GiveBack()
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]int{0: 1, time.Millisecond: 1, time.Second: 1, 1001 * time.Millisecond: 2, time.Minute: 60} {
		if got := Seconds(wait); got != want {
			t.Errorf("%v is %d seconds", wait, got)
		}
	}
}

// exact is the budget of one key without a sketch.
type exact struct{ paid time.Time }

func (e *exact) has(now time.Time, each, most time.Duration) bool {
	if e.paid.Before(now) {
		e.paid = now
	}
	return !e.paid.Add(each).After(now.Add(most))
}

// In a sketch of 4 cells a row nearly all keys share cells: still none has more attempts
// than its own budget allows, whatever else is taken and given back.
func TestNoKeyEverHasMoreThanItsBudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const each, most = time.Second, 3 * time.Second
		c := newClock()
		b := newSized[int](3, most, c.now, 4)
		alone := map[int]*exact{}
		type open struct {
			key   int
			taken Attempt
			at    time.Time
		}
		var given []open
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			c.advance(time.Duration(rapid.IntRange(0, 900).Draw(t, "ms")) * time.Millisecond)
			if len(given) > 0 && rapid.Bool().Draw(t, "give back") {
				last := given[len(given)-1]
				given = given[:len(given)-1]
				last.taken.GiveBack()
				if left := each - c.at.Sub(last.at); left > 0 {
					alone[last.key].paid = alone[last.key].paid.Add(-left)
				}
				continue
			}
			key := rapid.IntRange(0, 9).Draw(t, "key")
			if alone[key] == nil {
				alone[key] = &exact{}
			}
			allowed := alone[key].has(c.at, each, most)
			got, wait := b.Take(key)
			if wait == 0 && !allowed {
				t.Fatalf("key %d has an attempt too many", key)
			}
			if wait == 0 {
				alone[key].paid = alone[key].paid.Add(each)
				given = append(given, open{key, got, c.at})
			}
		}
	})
}

// The uses of budgets differ only in size.
func TestFloodOfFreshKeysNeitherRefillsBudgetsNorRefusesOthers(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]struct {
		limit  int
		window time.Duration
	}{
		"logins of an account from a network": {10, 15 * time.Minute}, "logins from a network": {30, 15 * time.Minute},
		"PINs of a shop from a network": {10, time.Minute}, "visitors' writes": {120, time.Minute},
	} {
		c := newClock()
		b := New[string](size.limit, size.window, c.now)
		taken(b, "attacked", size.limit)
		for n := range 100_000 {
			b.Take("fresh " + strconv.Itoa(n))
		}
		if n := taken(b, "attacked", 1000); n != 0 {
			t.Errorf("%s: the flood gave the attacked key %d more attempts", name, n)
		}
		shut := 0
		for n := range 1000 {
			if taken(b, "bystander "+strconv.Itoa(n), 1) == 0 {
				shut++
			}
		}
		if shut > 1 {
			t.Errorf("%s: %d of 1000 unrelated keys are refused", name, shut)
		}
		c.advance(size.window)
		if taken(b, "attacked", 1) != 1 {
			t.Errorf("%s: the budget did not come back after the window", name)
		}
	}
}

func TestMarksExpireAndSurviveAFlood(t *testing.T) {
	t.Parallel()
	c := newClock()
	m := NewMarks[string](time.Hour, c.now)
	if m.Has("ann") {
		t.Error("a key is marked that was not")
	}
	m.Set("ann")
	for n := range 10_000 {
		m.Set("fresh " + strconv.Itoa(n))
	}
	if !m.Has("ann") {
		t.Error("the flood removed the mark")
	}
	wrong := 0
	for n := range 1000 {
		if m.Has("never " + strconv.Itoa(n)) {
			wrong++
		}
	}
	if wrong > 20 {
		t.Errorf("%d of 1000 keys are marked that were not", wrong)
	}
	c.advance(time.Hour)
	if m.Has("ann") {
		t.Error("the mark did not expire")
	}
}
