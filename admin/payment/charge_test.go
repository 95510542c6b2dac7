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

func google(token string) pay.NewCharge {
	return pay.NewCharge{
		Session: fmt.Sprint("session ", sessions.Add(1)), AmountMinor: 1400, Currency: "EUR", Title: "Tea", Email: "ben@people.test",
		Instrument: pay.Instrument{Kind: pay.GooglePay, Token: `{"id":"` + token + `","object":"token"}`},
	}
}

func shared(token string) pay.NewCharge {
	c := google(token)
	c.Instrument = pay.Instrument{Kind: pay.SharedToken, Token: token}
	return c
}

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

func (c *chargeFixture) settle(t rapid.TB) {
	for range 10 {
		c.at.ahead += 150 * time.Minute
		if _, err := c.till.Reconcile(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

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
