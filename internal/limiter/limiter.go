// Package limiter divides work among shops, so that one shop's backlog delays no other shop.
//
// A limit of each shop bounds how much of its work runs at once (New). Slots that all shops share
// (Shared) are divided without configuration: a shop may begin another piece of work while fewer of
// its pieces run than slots are free, of which an eighth is left to shops that have nothing running. One
// busy shop so gets nearly half of the slots, two a third each, n the n+1st part each. (This is the
// dynamic threshold of switches with a shared buffer.) Work that waits is begun in turns of shops,
// whatever their number of waiting pieces.
//
// Limits are per process.
package limiter

import (
	"container/list"
	"context"
	"runtime"
	"sync"

	"vitrine/internal/shop"
)

// PerShop limits the work of each shop. It holds shops that have work running or waiting, and no
// other ones, which bounds its memory. Safe for concurrent use.
type PerShop struct {
	slots int // of all shops together; 0: unlimited
	limit int // of each shop

	mu      sync.Mutex
	running int
	turns   Turns
	waiting list.List // of *waiter, in the order in which they came
}

// waiter is work that waits for its turn.
type waiter struct {
	company shop.CompanyID
	begun   chan struct{}
}

// HalfOfCPUs is the limit for CPU-bound work that leaves half of the processors
// to the other shops.
func HalfOfCPUs() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// New returns a limiter that lets each shop run limit pieces of work at once.
func New(limit int) *PerShop { return Shared(0, limit) }

// Shared returns a limiter that divides slots among all shops, and lets each of them run at most
// limit pieces of work at once.
func Shared(slots, limit int) *PerShop {
	return &PerShop{slots: slots, limit: limit}
}

// Acquire waits for a slot of the shop until the context ends. The caller calls
// release when its work is done.
func (p *PerShop) Acquire(ctx context.Context, company shop.CompanyID) (release func(), err error) {
	p.mu.Lock()
	if p.room(company) > 0 {
		p.begin(company)
		p.mu.Unlock()
		return func() { p.Release(company) }, nil
	}
	w := &waiter{company, make(chan struct{})}
	place := p.waiting.PushBack(w)
	p.turns.Wait(company)
	p.mu.Unlock()
	select {
	case <-w.begun:
		return func() { p.Release(company) }, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.begun: // at the same moment
		p.end(company)
	default:
		p.waiting.Remove(place)
		p.turns.Leave(company)
	}
	return nil, ctx.Err()
}

// Room returns how many pieces of work the shop may begin now.
func (p *PerShop) Room(company shop.CompanyID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.room(company)
}

// Take begins work without regard to limits. Release ends it.
func (p *PerShop) Take(company shop.CompanyID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(company)
}

// Release ends a piece of work.
func (p *PerShop) Release(company shop.CompanyID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(company)
}

func (p *PerShop) room(company shop.CompanyID) int {
	held := p.turns.Held(company)
	room := p.limit - held
	if p.slots > 0 {
		room = min(room, Room(held, p.slots-p.running, p.slots))
	}
	return max(0, room)
}

func (p *PerShop) begin(company shop.CompanyID) {
	p.running++
	p.turns.Begin(company)
}

// end ends a piece of work and begins those that may run now.
func (p *PerShop) end(company shop.CompanyID) {
	p.running--
	p.turns.End(company)
	for {
		var next *list.Element
		for place := p.waiting.Front(); place != nil; place = place.Next() {
			w := place.Value.(*waiter)
			if p.room(w.company) > 0 && (next == nil || p.turns.Before(w.company, next.Value.(*waiter).company)) {
				next = place
			}
		}
		if next == nil {
			return
		}
		w := p.waiting.Remove(next).(*waiter)
		p.turns.Leave(w.company)
		p.begin(w.company)
		close(w.begun)
	}
}

// Room is how many more of the free slots a shop may take that holds some.
func Room(held, free, slots int) int {
	if held == 0 && free > 0 {
		return max(1, (free-slots/8+1)/2)
	}
	return max(0, (free-slots/8-held+1)/2)
}

// Turns knows whose turn it is: that of the shop with the least work running, of those with equally
// much the one whose last turn was the longest time ago. The zero value is ready for use; it is not
// safe for concurrent use.
type Turns struct {
	shops map[shop.CompanyID]*turn
	count uint64
}

type turn struct {
	running, waiting int
	last             uint64 // turn of the shop
}

func (t *Turns) of(company shop.CompanyID) *turn {
	if t.shops == nil {
		t.shops = map[shop.CompanyID]*turn{}
	}
	own := t.shops[company]
	if own == nil {
		own = &turn{}
		t.shops[company] = own
	}
	return own
}

func (t *Turns) drop(company shop.CompanyID, own *turn) {
	if own.running == 0 && own.waiting == 0 {
		delete(t.shops, company)
	}
}

// Wait notes that a piece of work of a shop waits, until Leave.
func (t *Turns) Wait(company shop.CompanyID) { t.of(company).waiting++ }

// Leave notes that a piece of work no longer waits. If it begins, Begin follows.
func (t *Turns) Leave(company shop.CompanyID) {
	own := t.of(company)
	own.waiting--
	t.drop(company, own)
}

// Begin notes that a piece of work runs, until End.
func (t *Turns) Begin(company shop.CompanyID) {
	own := t.of(company)
	own.running++
	t.count++
	own.last = t.count
}

// End notes that a piece of work no longer runs.
func (t *Turns) End(company shop.CompanyID) {
	own := t.of(company)
	own.running--
	t.drop(company, own)
}

// Held returns how many pieces of work of a shop run.
func (t *Turns) Held(company shop.CompanyID) int {
	if own := t.shops[company]; own != nil {
		return own.running
	}
	return 0
}

// Waiting returns how many pieces of work of a shop wait.
func (t *Turns) Waiting(company shop.CompanyID) int {
	if own := t.shops[company]; own != nil {
		return own.waiting
	}
	return 0
}

// Before reports whether it is the turn of a before that of b.
func (t *Turns) Before(a, b shop.CompanyID) bool {
	one, other := t.of(a), t.of(b)
	if one.running != other.running {
		return one.running < other.running
	}
	return one.last < other.last
}
