package payment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/pay"
	"vitrine/internal/pay/stripetest"
)

func TestChargesAndOrdersAgree(t *testing.T) {
	t.Parallel()
	var fault atomic.Pointer[func(*http.Request) stripetest.Fault]
	c := openCharges(t, func(r *http.Request) stripetest.Fault {
		if f := fault.Load(); f != nil {
			return (*f)(r)
		}
		return stripetest.None
	})
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		c.another(runs) // a shop of its own
		runs++
		c.stripe.Reset()
		c.at.ahead = 0
		// Drawn before the calls: one whose caller died may arrive while the next caller draws.
		faults := rapid.SliceOfN(rapid.IntRange(0, 9), 40, 40).Draw(r, "faults")
		var calls atomic.Int64
		var die atomic.Pointer[context.CancelFunc]
		next := func(*http.Request) stripetest.Fault {
			switch faults[int(calls.Add(1))%len(faults)] {
			case 0:
				return stripetest.Down
			case 1:
				return stripetest.Lost
			case 2:
				if end := die.Load(); end != nil {
					(*end)()
				}
			}
			return stripetest.None
		}
		fault.Store(&next)
		for n := range rapid.IntRange(1, 4).Draw(r, "charges") {
			ctx, cancel := context.WithCancel(context.Background())
			die.Store(&cancel)
			in := google(fmt.Sprintf("tok_%d_%d%s", runs, n, rapid.SampledFrom([]string{"", "", "_declined", "_3ds", "_lost"}).Draw(r, "token")))
			charge, err := c.till.Authorize(ctx, c.shop, in)
			c.at.ahead += time.Duration(rapid.SampledFrom([]int{0, 0, 1, 3, 70}).Draw(r, "minutes")) * time.Minute
			if rapid.Bool().Draw(r, "worker") {
				_, _ = c.till.Reconcile(ctx)
			}
			if err == nil && rapid.IntRange(0, 4).Draw(r, "places") > 0 {
				var fail error
				if rapid.IntRange(0, 3).Draw(r, "sold out") == 0 {
					fail = errors.New("sold out")
				}
				_, err = c.place(ctx, charge, fail)
				switch {
				case err != nil && rapid.Bool().Draw(r, "voids"):
					_ = c.till.Void(ctx, c.shop, charge)
				case err == nil && rapid.Bool().Draw(r, "captures"):
					_ = c.till.Capture(ctx, c.shop, charge)
				}
			}
			cancel()
		}
		fault.Store(nil)
		c.settle(r)
		c.balanced(r)
	})
}

func TestChargesAreSafeAmongProcesses(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	stop := make(chan struct{})
	hasty := &Till{Store: c.store, Provider: c.till.Provider, About: c.till.About, Now: func() time.Time { return time.Now().Add(chargeLease + time.Second) }}
	var workers, callers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := hasty.Reconcile(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var placed, refused atomic.Int64
	for n := range 8 {
		callers.Go(func() {
			for i := range 6 {
				var fail error
				if i%3 == 2 {
					fail = errors.New("sold out")
				}
				switch _, err := c.complete(context.Background(), google(fmt.Sprintf("tok_%d_%d", n, i)), fail); {
				case err == nil:
					placed.Add(1)
				case errors.Is(err, pay.ErrUndecided) || fail != nil:
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	close(stop)
	workers.Wait()
	c.settle(t)
	c.balanced(t)
	t.Logf("%d placed, %d refused", placed.Load(), refused.Load())
}
