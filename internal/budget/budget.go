// Package budget limits the attempts of untrusted clients: each key has a number of
// attempts per window, for keys that anybody can make up (addresses, e-mails), in bounded
// memory from which a flood of keys evicts nothing.
//
// A key may spend its budget at once or over the window and earns it back evenly: of 10
// attempts in 15 minutes one comes back every 90 seconds. This is the generic cell rate
// algorithm: one time for each key, until which its attempts are paid for.
//
// These times are not stored by key but in a count-min sketch: each key has a cell in each
// of four rows, chosen by a hash with a seed of the process, and its time is the earliest
// of the four. Keys that share a cell add up there, so a key never appears to have used
// less than it has, and nothing is ever evicted:
//
//   - A flood of other keys gives no key an additional attempt. However many fresh e-mails
//     are tried, the budget of the attacked one stays used up.
//   - A flood costs precision: a key is refused too early when others share its cells in
//     all four rows. With 32,768 cells a row and a limit of 10, an unrelated key is still
//     accepted beside 100,000 fresh keys that were tried once at the same instant.
//   - Memory is 1 MiB per Budgets, allocated at the first attempt. No key is stored.
//
// Budgets of New live in one process: a restart resets them, and several processes count
// separately. Those of Shared tell each other. What guards a secret is counted in rows alone
// (store.Attempt). There is no sweeping and no background work.
package budget

import (
	"hash/maphash"
	"math"
	"time"
)

// Budgets gives each key its own budget of one size.
type Budgets[K comparable] struct {
	sketch
	seed    maphash.Seed
	now     func() time.Time
	telling *telling[K] // nil: the process counts alone
}

// New returns budgets of limit attempts per window.
func New[K comparable](limit int, window time.Duration, now func() time.Time) *Budgets[K] {
	return newSized[K](limit, window, now, width)
}

func newSized[K comparable](limit int, window time.Duration, now func() time.Time, cells int) *Budgets[K] {
	each := int64(window) / int64(limit)
	return &Budgets[K]{seed: maphash.MakeSeed(), now: now, sketch: sketch{cells: cells, each: each, most: each * int64(limit)}}
}

// Take uses up one attempt of a key. If none is left it takes nothing and returns the time
// until the next one, which is positive.
func (b *Budgets[K]) Take(key K) (Attempt, time.Duration) {
	t := Attempt{from: &b.sketch, hash: maphash.Comparable(b.seed, key), at: b.now().UnixNano(), now: b.now}
	if wait := b.take(t.hash, t.at); wait > 0 {
		return Attempt{}, time.Duration(wait)
	}
	if b.telling != nil {
		t.back = func() { b.telling.add(key, -1) }
		b.tell(key, t.hash)
	}
	return t, 0
}

// Wait returns the time until the next attempt of a key: 0 if it has one now.
func (b *Budgets[K]) Wait(key K) time.Duration {
	ahead := b.ahead(maphash.Comparable(b.seed, key), b.now().UnixNano())
	return time.Duration(max(0, ahead+b.each-b.most))
}

// Spent returns the number of attempts of a key that are not earned back, rounded up.
func (b *Budgets[K]) Spent(key K) int {
	ahead := b.ahead(maphash.Comparable(b.seed, key), b.now().UnixNano())
	return int((ahead + b.each - 1) / b.each)
}

// Attempt is one attempt that was taken. The zero Taken is no attempt.
type Attempt struct {
	from *sketch
	hash uint64
	at   int64
	now  func() time.Time
	back func() // nil: no other process was told
}

// GiveBack returns an attempt that must not count after all, such as a right password. The
// part that the key has earned back since is not returned again.
func (t Attempt) GiveBack() {
	if t.from != nil {
		t.from.giveBack(t.hash, t.at, t.now().UnixNano())
		if t.back != nil {
			t.back()
		}
	}
}

// Seconds converts a wait to the value of Retry-After: whole seconds, at least one.
func Seconds(wait time.Duration) int { return max(1, int(math.Ceil(wait.Seconds()))) }
