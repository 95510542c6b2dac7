// Package budget counts what strangers may do: so many tries a key and window,
// for keys that anybody can make up (addresses, e-mails), in bounded memory that
// a flood of keys cannot empty.
//
// A key spends its budget at once or over the window and earns it back evenly: of
// 10 tries in 15 minutes one comes back every 90 seconds. This is the generic cell
// rate algorithm: one time for each key, up to when its tries are paid for.
//
// These times are not kept by key. They lie in a count-min sketch: each key has a
// cell in each of four rows, chosen by a hash with a seed of the process, and its
// time is the earliest of the four. Keys that meet in a cell add up there, so what
// is read is never less than what the key has used, and nothing is ever evicted:
//
//   - A flood of other keys gives nobody a try more. However many fresh e-mails are
//     tried, the budget of the one under attack stays used up.
//   - A flood costs precision: a key is refused too early when others meet it in
//     all four rows. With 32,768 cells a row and a limit of 10, a bystander gets
//     in beside 100,000 fresh keys that were tried once at one instant.
//   - Memory is 1 MiB a kind of budget, allocated when the first try is taken. No
//     key is stored.
//
// Budgets live in one process: a restart forgets them, and each of several
// processes counts by itself. There is no sweeping and no background work.
package budget

import (
	"hash/maphash"
	"math"
	"time"
)

// Budgets gives each key its own budget of one size.
type Budgets[K comparable] struct {
	sketch
	seed maphash.Seed
	now  func() time.Time
}

// New makes budgets of so many tries in a window.
func New[K comparable](limit int, window time.Duration, now func() time.Time) *Budgets[K] {
	return newSized[K](limit, window, now, width)
}

func newSized[K comparable](limit int, window time.Duration, now func() time.Time, cells int) *Budgets[K] {
	each := int64(window) / int64(limit)
	return &Budgets[K]{seed: maphash.MakeSeed(), now: now, sketch: sketch{cells: cells, each: each, most: each * int64(limit)}}
}

// Take uses up one try of a key. When none is left it takes nothing and answers
// how long the next one is away, which is more than nothing.
func (b *Budgets[K]) Take(key K) (Taken, time.Duration) {
	t := Taken{from: &b.sketch, hash: maphash.Comparable(b.seed, key), at: b.now().UnixNano(), now: b.now}
	if wait := b.take(t.hash, t.at); wait > 0 {
		return Taken{}, time.Duration(wait)
	}
	return t, 0
}

// Wait is how long the next try of a key is away: 0 when it has one.
func (b *Budgets[K]) Wait(key K) time.Duration {
	ahead := b.ahead(maphash.Comparable(b.seed, key), b.now().UnixNano())
	return time.Duration(max(0, ahead+b.each-b.most))
}

// Used is how many tries of a key are not earned back, rounded up.
func (b *Budgets[K]) Used(key K) int {
	ahead := b.ahead(maphash.Comparable(b.seed, key), b.now().UnixNano())
	return int((ahead + b.each - 1) / b.each)
}

// Taken is one try that was taken. The zero Taken is none.
type Taken struct {
	from *sketch
	hash uint64
	at   int64
	now  func() time.Time
}

// GiveBack returns a try that was none after all, such as a right password. What
// the key has earned back since is not returned again.
func (t Taken) GiveBack() {
	if t.from != nil {
		t.from.giveBack(t.hash, t.at, t.now().UnixNano())
	}
}

// Seconds is a time to wait as Retry-After names it: whole seconds, at least one.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
