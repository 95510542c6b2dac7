package payment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/outbound"
	"vitrine/internal/pay"
	"vitrine/internal/pay/stripetest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// chargeFixture is a shop with an account at a Stripe in memory.
type chargeFixture struct {
	*tillFixture
	stripe *stripetest.Server
	at     *clock
	till   *Till
}

func openCharges(t *testing.T, fault func(r *http.Request) stripetest.Fault) *chargeFixture {
	t.Helper()
	c := &chargeFixture{tillFixture: open(t), stripe: stripetest.New(t), at: &clock{}}
	c.stripe.Fault = fault
	c.till = tillAt(c.store, c.stripe.URL, c.at)
	return c
}

func tillAt(s *store.Store, stripe string, at *clock) *Till {
	do := outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"))).Do
	return &Till{
		Store: s, Now: at.now, About: func(context.Context, sales.Order) (string, []pay.Line, error) { return "Order", nil, nil },
		Provider: func(context.Context, shop.CompanyID, string) (pay.Provider, error) {
			return pay.Stripe(do, stripe, pay.Secrets{SecretKey: stripetest.SecretKey}), nil
		},
	}
}

var sessions atomic.Int64

// google is a charge of 14.00 with Google Pay.
func google(token string) pay.NewCharge {
	return pay.NewCharge{
		Session: fmt.Sprint("session ", sessions.Add(1)), AmountMinor: 1400, Currency: "EUR", Title: "Tea", Email: "ben@people.test",
		Instrument: pay.Instrument{Kind: pay.GooglePay, Token: `{"id":"` + token + `","object":"token"}`},
	}
}

// shared is a charge of 14.00 with a shared payment token.
func shared(token string) pay.NewCharge {
	c := google(token)
	c.Instrument = pay.Instrument{Kind: pay.SharedToken, Token: token}
	return c
}

// place places an order with a charge; fail is how the order fails.
func (c *chargeFixture) place(ctx context.Context, charge sales.Charge, fail error) (sales.Order, error) {
	o := sales.Order{
		Person: c.who, Contact: sales.Contact{Name: "Ben", Email: "ben@people.test"}, ItemsTotal: 14, GrandTotal: 14, Currency: "EUR", PaymentMethod: chargeMethod,
		Lines: []sales.OrderLine{{Product: 1, Key: "default", Name: "Tea", Quantity: 1, Unit: 14}},
	}
	err := c.store.Write(ctx, c.shop, func(tx *store.Tx) error {
		if err := sales.PlaceOrder(ctx, tx, &o); err != nil {
			return err
		}
		return errors.Join(c.till.Attach(ctx, tx, charge, &o), fail)
	})
	return o, err
}

// complete authorises, places and captures.
func (c *chargeFixture) complete(ctx context.Context, in pay.NewCharge, fail error) (o sales.Order, err error) {
	charge, err := c.till.Authorize(ctx, c.shop, in)
	if err != nil {
		return o, err
	}
	if o, err = c.place(ctx, charge, fail); err != nil {
		return o, errors.Join(err, c.till.Void(ctx, c.shop, charge))
	}
	return o, c.till.Capture(ctx, c.shop, charge)
}

// settle runs the worker for a day.
func (c *chargeFixture) settle(t rapid.TB) {
	for range 10 {
		c.at.ahead += 150 * time.Minute
		if _, err := c.till.Reconcile(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// charges counts the charges by state.
func (c *chargeFixture) charges(t rapid.TB) map[string]int {
	n := map[string]int{}
	rows, err := c.store.Pool.Query(context.Background(), `SELECT state, count(*) FROM charge WHERE company_id = $1 GROUP BY 1`, c.shop)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var state string
		var count int
		if err := rows.Scan(&state, &count); err != nil {
			t.Fatal(err)
		}
		n[state] = count
	}
	return n
}

func (c *chargeFixture) count(t rapid.TB, sql string) (n int) {
	if err := c.store.Pool.QueryRow(context.Background(), sql, c.shop).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// balanced checks that each order was paid by exactly one intent, that nothing else was taken, and
// that nothing is reserved.
func (c *chargeFixture) balanced(t rapid.TB) {
	taken := 0
	for _, i := range c.stripe.Intents() {
		switch i.Status {
		case "requires_capture", "requires_action":
			t.Fatalf("still reserved: %+v", i)
		case "succeeded":
			if i.Refunded == 0 {
				taken++
			}
		}
	}
	paid := c.count(t, `SELECT count(*) FROM payment WHERE company_id = $1 AND status = 'paid' AND provider_ref LIKE 'pi_%'`)
	orders := c.count(t, `SELECT count(*) FROM shop_order WHERE company_id = $1`)
	pending := c.count(t, `SELECT count(*) FROM payment WHERE company_id = $1 AND status = 'pending'`)
	open := c.count(t, `SELECT count(*) FROM charge WHERE company_id = $1 AND (look_at IS NOT NULL OR state IN ('begun', 'authorised', 'voiding'))`)
	told := 0
	for _, e := range storetest.Events(t, c.store.Pool, int(c.shop)) {
		if e.Name == "order.paid" {
			told++
		}
	}
	if taken != paid || paid != orders || told != paid || pending != 0 || open != 0 {
		t.Fatalf("%d intents taken, %d payments paid, %d orders, %d events, %d payments pending, %d charges open: %v", taken, paid, orders, told, pending, open, c.stripe.States())
	}
}

func TestChargeOutcomes(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	for name, o := range map[string]struct {
		in     pay.NewCharge
		err    error
		reason string
		states string // of the charge and of the intent, after the worker has run
	}{
		"Google Pay":            {google("tok_ok"), nil, "", "attached succeeded"},
		"a shared token":        {shared("spt_ok"), nil, "", "attached succeeded"},
		"declined":              {google("tok_declined"), pay.ErrDeclined, "Your card has insufficient funds.", "failed requires_payment_method"},
		"shared, declined":      {shared("spt_declined"), pay.ErrDeclined, "Your card has insufficient funds.", "failed requires_payment_method"},
		"3D Secure":             {google("tok_3ds"), pay.ErrActionRequired, "", "voided canceled"},
		"shared, 3D Secure":     {shared("spt_3ds"), pay.ErrActionRequired, "", "voided canceled"},
		"a lost answer":         {google("tok_lost"), nil, "", "attached succeeded"},
		"shared, a lost answer": {shared("spt_lost"), nil, "", "attached succeeded"},
		"no token in the JSON":  {pay.NewCharge{Session: "a", AmountMinor: 1400, Currency: "EUR", Instrument: pay.Instrument{Kind: pay.GooglePay, Token: "tok_1"}}, pay.ErrDeclined, "", "failed"},
		"a path as a token":     {google("tok_/../x"), pay.ErrDeclined, "", "failed"},
		"another kind of id":    {shared("pm_1"), pay.ErrDeclined, "", "failed"},
		"no kind":               {pay.NewCharge{Session: "b", AmountMinor: 1400, Currency: "EUR"}, pay.ErrDeclined, "", "failed"},
	} {
		_, err := c.complete(t.Context(), o.in, nil)
		if !errors.Is(err, o.err) || (err == nil) != (o.err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		var no *pay.Decline
		if errors.As(err, &no) && no.Reason != o.reason {
			t.Errorf("%s: the buyer sees %q", name, no.Reason)
		}
		if err != nil && strings.Contains(err.Error(), "tok_") {
			t.Errorf("%s: the error has the token: %v", name, err)
		}
		var state, ref string
		if err := c.store.Pool.QueryRow(t.Context(), `SELECT state, ref FROM charge WHERE company_id = $1 AND session = $2`, c.shop, o.in.Session).Scan(&state, &ref); err != nil {
			t.Fatal(name, err)
		}
		states := state
		for _, i := range c.stripe.Intents() {
			if i.ID == ref || ref == "" && state == "failed" && i.Metadata["charge_id"] == c.idOf(t, o.in.Session) {
				states += " " + i.Status
				if shared := o.in.Instrument.Kind == pay.SharedToken; shared != strings.HasSuffix(i.Version, ".preview") {
					t.Errorf("%s: version %q", name, i.Version)
				}
			}
		}
		if states != o.states {
			t.Errorf("%s: %s, want %s", name, states, o.states)
		}
	}
	if _, err := c.complete(t.Context(), google("tok_ok"), nil); !errors.Is(err, pay.ErrDeclined) || strings.Contains(err.Error(), "tok_ok") {
		t.Errorf("a used token: %v", err)
	}
	c.settle(t)
	c.balanced(t)
	for _, table := range []string{"charge", "payment", "payment_notice", "order_history"} {
		if n := c.count(t, `SELECT count(*) FROM `+table+` x WHERE company_id = $1 AND (strpos(x::text, 'tok_') > 0 OR strpos(x::text, 'spt_') > 0)`); n != 0 {
			t.Errorf("%s holds a token", table)
		}
	}
}

func (c *chargeFixture) idOf(t *testing.T, session string) (id string) {
	t.Helper()
	if err := c.store.Pool.QueryRow(t.Context(), `SELECT id::text FROM charge WHERE company_id = $1 AND session = $2`, c.shop, session).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// A process may die between any two steps; the worker ends what it left.
func TestTheWorkerEndsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	begun := func(c *chargeFixture, in pay.NewCharge) sales.Charge {
		var charge sales.Charge
		err := c.store.Write(t.Context(), c.shop, func(tx *store.Tx) (err error) {
			charge, err = sales.BeginCharge(t.Context(), tx, sales.Charge{Session: in.Session, AmountMinor: in.AmountMinor, Currency: in.Currency}, c.at.now().Add(chargeLease))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return charge
	}
	charger := func(c *chargeFixture) pay.Charger {
		charger, err := c.till.charger(t.Context(), c.shop)
		if err != nil {
			t.Fatal(err)
		}
		return charger
	}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for name, o := range map[string]struct {
		crash   func(c *chargeFixture)
		charges string
		paid    int
	}{
		"before the call": {func(c *chargeFixture) { begun(c, google("tok_ok")) }, "map[failed:1]", 0},
		"after the call": {func(c *chargeFixture) {
			in := google("tok_ok")
			_, err := charger(c).Authorize(t.Context(), begun(c, in).ID.String(), in)
			must(err)
		}, "map[voided:1]", 0},
		"after a call that requires the buyer": {func(c *chargeFixture) {
			in := google("tok_3ds")
			_, err := charger(c).Authorize(t.Context(), begun(c, in).ID.String(), in)
			if !errors.Is(err, pay.ErrActionRequired) {
				t.Error(err)
			}
		}, "map[voided:1]", 0},
		"before the order": {func(c *chargeFixture) {
			_, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
		}, "map[voided:1]", 0},
		"after the order": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			_, err = c.place(t.Context(), charge, nil)
			must(err)
		}, "map[attached:1]", 1},
		"after the money was taken": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			_, err = c.place(t.Context(), charge, nil)
			must(err)
			_, err = charger(c).Capture(t.Context(), charge.Ref, charge.ID.String()+"-capture")
			must(err)
		}, "map[attached:1]", 1},
		"after the order was refused": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			if _, err = c.place(t.Context(), charge, errors.New("sold out")); err == nil {
				t.Error("placed")
			}
		}, "map[voided:1]", 0},
		"while the money was returned": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			must(c.store.Write(t.Context(), c.shop, func(tx *store.Tx) error {
				_, _, err := sales.GiveUpCharge(t.Context(), tx, charge.ID, charge.Ref, c.at.now().Add(lease))
				return err
			}))
			_, err = charger(c).Void(t.Context(), charge.Ref, charge.ID.String()+"-void")
			must(err)
		}, "map[voided:1]", 0},
		"and the owner took the money by hand": {func(c *chargeFixture) {
			charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
			must(err)
			c.stripe.Set(charge.Ref, "succeeded")
		}, "map[voided:1]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCharges(t, nil)
			o.crash(c)
			before := fmt.Sprint(c.charges(t), c.stripe.States())
			if _, err := c.till.Reconcile(t.Context()); err != nil {
				t.Fatal(err)
			}
			if now := fmt.Sprint(c.charges(t), c.stripe.States()); now != before && !strings.HasPrefix(name, "after the order") && !strings.HasPrefix(name, "after the money") {
				t.Errorf("the worker did not wait for the caller: %s, then %s", before, now)
			}
			c.settle(t)
			c.balanced(t)
			if got := fmt.Sprint(c.charges(t)); got != o.charges {
				t.Errorf("%s, want %s", got, o.charges)
			}
			if got := c.count(t, `SELECT count(*) FROM payment WHERE company_id = $1 AND status = 'paid'`); got != o.paid {
				t.Errorf("%d payments, want %d", got, o.paid)
			}
		})
	}
}

// What the worker has given up cannot be attached any more, and an attached charge is not given up.
func TestAChargeIsAttachedOrReleased(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	late, err := c.till.Authorize(t.Context(), c.shop, google("tok_1"))
	if err != nil {
		t.Fatal(err)
	}
	c.at.ahead += 3 * time.Minute
	if _, err := c.till.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), late, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("a released charge: %v", err)
	}
	attached, err := c.till.Authorize(t.Context(), c.shop, google("tok_2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), attached, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.till.Void(t.Context(), c.shop, attached); !errors.Is(err, errAttached) {
		t.Errorf("an attached charge: %v", err)
	}
	if _, err := c.place(t.Context(), attached, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("two orders with one charge: %v", err)
	}
	other := google("tok_3")
	other.AmountMinor = 1399
	wrong, err := c.till.Authorize(t.Context(), c.shop, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.place(t.Context(), wrong, nil); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("a charge of another amount: %v", err)
	}
	for range 2 {
		if err := c.till.Capture(t.Context(), c.shop, attached); err != nil {
			t.Error(err)
		}
	}
	c.settle(t)
	c.balanced(t)
}

// With faults of the provider, deaths of processes and pauses of any length in any order, each order
// is paid once, and nothing else is taken or stays reserved.
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

// Callers, and workers that find every charge due, act at the same time.
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

// A provider that does not answer leaves the charge undecided, and the worker releases it.
func TestASlowProviderLeavesNothingReserved(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := c.till.Authorize(ctx, c.shop, shared("spt_slow")); !errors.Is(err, pay.ErrUndecided) {
		t.Errorf("%v", err)
	}
	c.settle(t)
	c.balanced(t)
	if got := c.charges(t); !maps.Equal(got, map[string]int{"voided": 1}) {
		t.Error(got)
	}
}

// When Stripe refuses to give the reserved money, the order stays unpaid.
func TestARefusedCaptureLeavesTheOrderUnpaid(t *testing.T) {
	t.Parallel()
	c := openCharges(t, func(r *http.Request) stripetest.Fault {
		if strings.HasSuffix(r.URL.Path, "/capture") {
			return stripetest.Refuse
		}
		return stripetest.None
	})
	o, err := c.complete(t.Context(), google("tok_ok"), nil)
	if !errors.Is(err, pay.ErrDeclined) {
		t.Errorf("%v", err)
	}
	c.settle(t)
	history, err := sales.OrderHistory(t.Context(), c.store.Shop(c.shop), o.ID)
	if err != nil || !slices.ContainsFunc(history, func(h sales.OrderEvent) bool {
		return h.Kind == "payment" && strings.Contains(string(h.Body), "failed")
	}) {
		t.Errorf("%+v, %v", history, err)
	}
	paid, err := sales.Payments(t.Context(), c.store.Shop(c.shop), []shop.OrderID{o.ID})
	if err != nil || len(paid[o.ID]) != 1 || paid[o.ID][0].Status != "failed" || !maps.Equal(c.stripe.States(), map[string]int{"canceled": 1}) {
		t.Errorf("%+v, %v, %v", paid, err, c.stripe.States())
	}
}

// An order that was cancelled before its money was taken does not take it.
func TestTheMoneyOfACancelledOrderIsReleased(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	charge, err := c.till.Authorize(t.Context(), c.shop, google("tok_ok"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.place(t.Context(), charge, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.store.Write(t.Context(), c.shop, func(tx *store.Tx) error {
		now, err := sales.LockOrder(t.Context(), tx, o.ID)
		if err != nil {
			return err
		}
		return sales.SetOrderStatus(t.Context(), tx, &now, shop.OrderCancelled, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.till.Capture(t.Context(), c.shop, charge); !errors.Is(err, pay.ErrDeclined) {
		t.Errorf("%v", err)
	}
	c.settle(t)
	if got := c.stripe.States(); !maps.Equal(got, map[string]int{"canceled": 1}) {
		t.Error(got)
	}
}

// Amounts reach Stripe in its own units.
func TestChargesInEveryCurrency(t *testing.T) {
	t.Parallel()
	c := openCharges(t, nil)
	for n, o := range []struct {
		currency string
		digits   int
		price    int64 // as the shop has it
		minor    int64
		sent     int64
	}{{"JPY", 0, 500, 500, 500}, {"KWD", 3, 12_340, 12_340, 12_340}, {"KWD", 0, 12, 12_000, 12_000}, {"ISK", 0, 900, 900, 90_000}, {"UGX", 0, 7, 7, 700}, {"MGA", 0, 500, 50_000, 500}, {"EUR", 2, 1450, 1450, 1450}} {
		var err error
		if c.shop, err = companydb.CreateCompany(t.Context(), c.store, fmt.Sprint("money-", n), "Tea", o.currency, c.who, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.store.Pool.Exec(t.Context(), `UPDATE company SET price_digits = $2 WHERE id = $1`, c.shop, o.digits); err != nil {
			t.Fatal(err)
		}
		in := google(fmt.Sprint("tok_", n))
		in.AmountMinor, in.Currency = o.minor, o.currency
		charge, err := c.till.Authorize(t.Context(), c.shop, in)
		if err != nil {
			t.Fatal(o, err)
		}
		made := sales.Order{Person: c.who, Contact: sales.Contact{Name: "Ben"}, ItemsTotal: o.price, GrandTotal: o.price, Currency: o.currency,
			Lines: []sales.OrderLine{{Product: 1, Key: "default", Name: "Tea", Quantity: 1, Unit: o.price}}}
		err = c.store.Write(t.Context(), c.shop, func(tx *store.Tx) error {
			if err := sales.PlaceOrder(t.Context(), tx, &made); err != nil {
				return err
			}
			return c.till.Attach(t.Context(), tx, charge, &made)
		})
		if err := errors.Join(err, c.till.Capture(t.Context(), c.shop, charge)); err != nil {
			t.Errorf("%v: %v", o, err)
		}
		all := c.stripe.Intents()
		if last := all[len(all)-1]; last.Amount != o.sent || last.Status != "succeeded" {
			t.Errorf("%v: %+v", o, last)
		}
		c.at.ahead += time.Minute
	}
	in := google("tok_half")
	in.AmountMinor, in.Currency = 150, "MGA"
	if _, err := c.till.Authorize(t.Context(), c.shop, in); !errors.Is(err, pay.ErrDeclined) {
		t.Errorf("half an ariary: %v", err)
	}
}
