package limiter

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

func TestAFullShopDelaysNoOtherShop(t *testing.T) {
	p := New(2)
	first, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Acquire(ended, 1); err == nil {
		t.Error("a shop with a limit of 2 got a third slot")
	}
	other, err := p.Acquire(t.Context(), 2)
	if err != nil {
		t.Fatal("another shop waits")
	}
	first()
	again, err := p.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal("a released slot is not available")
	}
	for _, release := range []func(){second, again, other} {
		release()
	}
	if len(p.turns.shops) != 0 || p.waiting.Len() != 0 || p.running != 0 {
		t.Errorf("%d idle shops are still held", len(p.turns.shops))
	}
}

// However many pieces of work some shops have, a shop that comes gets a slot at once.
func TestSharedSlotsLeaveRoomForAShopThatComes(t *testing.T) {
	for shops, each := range map[int]int{1: 28, 2: 18, 3: 14, 5: 9, 7: 7, 31: 1} {
		p := Shared(64, 64)
		for range 64 {
			for company := range shops {
				if id := shop.CompanyID(company + 1); p.Room(id) > 0 {
					p.Take(id)
				}
			}
		}
		if got := p.turns.Held(1); got < each || got > each+1 {
			t.Errorf("of %d shops each has %d of 64 slots, want %d", shops, got, each)
		}
		if p.Room(1000) == 0 {
			t.Errorf("beside %d shops there is no slot for another", shops)
		}
	}
}

// While all slots are taken, a shop that comes is served with the next one, before the hundred pieces
// that another shop waits for.
func TestWaitingWorkIsBegunInTurnsOfShops(t *testing.T) {
	for _, slots := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			p := Shared(slots, slots)
			var mu sync.Mutex
			var order []shop.CompanyID
			step := make(chan struct{})
			work := func(company shop.CompanyID) {
				release, err := p.Acquire(t.Context(), company)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, company)
				mu.Unlock()
				<-step
				release()
			}
			for range 100 {
				go work(1)
			}
			synctest.Wait()
			for range slots { // as many other shops as there are slots
				go work(2)
				go work(3)
			}
			synctest.Wait()
			begun := len(order)
			for range 100 + 2*slots {
				step <- struct{}{}
				synctest.Wait()
			}
			turns := 0
			for i, company := range order {
				if company == 2 || company == 3 {
					turns = max(turns, i-begun)
				}
			}
			if len(order) != 100+2*slots || turns > 6*slots {
				t.Errorf("with %d slots another shop was served after %d turns: %v", slots, turns, order)
			}
		})
	}
}

func TestEveryPieceOfWorkIsBegun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slots, limit, pieces := rapid.IntRange(0, 4).Draw(rt, "slots"), rapid.IntRange(1, 4).Draw(rt, "limit"), rapid.IntRange(1, 40).Draw(rt, "pieces")
		p := Shared(slots, limit)
		var all sync.WaitGroup
		var mu sync.Mutex
		running, most := map[shop.CompanyID]int{}, ""
		for i := range pieces {
			company := shop.CompanyID(rapid.IntRange(1, 3).Draw(rt, "company"))
			ctx, cancel := context.WithCancel(t.Context())
			if rapid.Bool().Draw(rt, "gives up") {
				cancel()
			}
			all.Go(func() {
				defer cancel()
				release, err := p.Acquire(ctx, company)
				if err != nil {
					return
				}
				mu.Lock()
				running[company]++
				sum := running[1] + running[2] + running[3]
				if running[company] > limit || slots > 0 && sum > slots {
					most = fmt.Sprint(i, running)
				}
				mu.Unlock()
				mu.Lock()
				running[company]--
				mu.Unlock()
				release()
			})
		}
		all.Wait()
		if most != "" || p.running != 0 || p.waiting.Len() != 0 || len(p.turns.shops) != 0 {
			rt.Fatalf("too many at once: %s; left: %d", most, p.running)
		}
	})
}
