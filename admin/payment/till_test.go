package payment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// bank is an in-memory provider with injected faults: a lost request, a lost response, and a
// process that dies after a call.
type bank struct {
	payments map[string]*account // by ref
	keys     map[string]string
	given    map[string]int64 // by idempotency key of the refund
	fault    func() string    // "", "lost", "late answer", "death"
	refuses  bool             // refunds
	die      func()
}

type account struct {
	pay.Attempt
	state    pay.State
	refunded int64
}

func newBank() *bank {
	return &bank{payments: map[string]*account{}, keys: map[string]string{}, given: map[string]int64{}}
}

// through runs a call with the current fault.
func (b *bank) through(do func() error) error {
	fault := ""
	if b.fault != nil {
		fault = b.fault()
	}
	if fault == "lost" {
		return pay.ErrUnknown
	}
	err := do()
	switch fault {
	case "late answer":
		return pay.ErrUnknown
	case "death":
		b.die()
	}
	return err
}

func (b *bank) Start(_ context.Context, a pay.Attempt) (s pay.Started, err error) {
	err = b.through(func() error {
		ref := b.keys[a.Key]
		if ref == "" {
			ref = fmt.Sprint("ref-", len(b.payments)+1)
			b.keys[a.Key], b.payments[ref] = ref, &account{Attempt: a, state: pay.Open}
		}
		s = pay.Started{Ref: ref, URL: "https://bank.test/" + ref}
		return nil
	})
	return s, err
}

func (b *bank) Fetch(_ context.Context, ref string) (s pay.Status, err error) {
	err = b.through(func() error {
		p := b.payments[ref]
		if p == nil {
			return pay.ErrRefused
		}
		s = pay.Status{Ref: ref, State: p.state, Amount: p.Amount, Currency: p.Currency, Refunded: p.refunded, Payment: p.Payment}
		return nil
	})
	return s, err
}

func (b *bank) Refund(_ context.Context, r pay.Refund) error {
	return b.through(func() error {
		p := b.payments[r.Ref]
		if p == nil || p.state != pay.Paid || b.refuses {
			return pay.ErrRefused
		}
		if _, done := b.given[r.Key]; !done {
			if p.refunded+r.Amount > p.Amount {
				return pay.ErrRefused
			}
			p.refunded += r.Amount
			b.given[r.Key] = r.Amount
		}
		return nil
	})
}

func (b *bank) Notify(pay.Header, []byte, time.Time) (pay.Notification, error) {
	return pay.Notification{}, nil
}

type tillFixture struct {
	t     *testing.T
	url   string // of the database
	store *store.Store
	shop  shop.CompanyID
	who   shop.UserID
}

func open(t *testing.T) *tillFixture {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := &tillFixture{t: t, url: url, store: s}
	if c.who, err = people.CreatePerson(t.Context(), s, "ann@people.test", "Ann", "x"); err != nil {
		t.Fatal(err)
	}
	if c.shop, err = companydb.CreateCompany(t.Context(), s, "tea", "Tea", "EUR", c.who, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// another continues in a new shop.
func (c *tillFixture) another(n int) {
	var err error
	if c.shop, err = companydb.CreateCompany(c.t.Context(), c.store, fmt.Sprint("tea-", n), "Tea", "EUR", c.who, nil); err != nil {
		c.t.Fatal(err)
	}
}

func (c *tillFixture) order() sales.Order {
	o := sales.Order{Person: c.who, Contact: sales.Contact{Name: "Ben", Email: "ben@people.test"}, ItemsTotal: 14, GrandTotal: 14, Currency: "EUR", Lines: []sales.OrderLine{{Product: 1, Key: "default", Name: "Tea", Quantity: 1, Unit: 14}}}
	err := c.store.Write(c.t.Context(), c.shop, func(tx *store.Tx) error { return sales.PlaceOrder(c.t.Context(), tx, &o) })
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

// clock can be advanced by hand and starts at the real time, because the database dates rows.
type clock struct{ ahead time.Duration }

func (c *clock) now() time.Time { return time.Now().Add(c.ahead) }

// With calls lost, repeated, delayed or interrupted in any order: a paid order is paid once and
// reported once, no more money is refunded than was paid, and no payment stays unknown.
func TestMoneyIsNeverLostOrCountedTwice(t *testing.T) {
	t.Parallel()
	c := open(t)
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		if runs++; runs%100 == 0 { // so that the data of a shop stays small
			c.another(runs)
		}
		b, at := newBank(), &clock{}
		till := &Till{
			Store: c.store, Now: at.now, About: func(context.Context, sales.Order) (string, []pay.Line, error) { return "Order", nil, nil },
			Provider: func(context.Context, shop.CompanyID, string) (pay.Provider, error) { return b, nil },
		}
		o := c.order()
		ctx := context.Background()
		b.fault = func() string {
			return rapid.SampledFrom([]string{"", "", "", "lost", "late answer", "death"}).Draw(r, "fault")
		}
		alive := func() context.Context { // the context of one process, which may die
			ctx, cancel := context.WithCancel(context.Background())
			b.die = cancel
			return ctx
		}
		for range rapid.IntRange(1, 14).Draw(r, "steps") {
			c.step(r, till, b, at, alive(), o)
		}
		b.fault = nil
		for range 120 {
			at.ahead += 31 * time.Minute
			if _, err := till.Reconcile(ctx); err != nil {
				r.Fatal(err)
			}
		}
		for range 16 { // paid payments are queried for months
			at.ahead += 17 * 24 * time.Hour
			if _, err := till.Reconcile(ctx); err != nil {
				r.Fatal(err)
			}
		}
		c.agrees(r, b, o)
	})
}

func (c *tillFixture) step(r *rapid.T, till *Till, b *bank, at *clock, ctx context.Context, o sales.Order) {
	some := func() string {
		var refs []string
		for n := range len(b.payments) {
			refs = append(refs, fmt.Sprint("ref-", n+1))
		}
		return rapid.SampledFrom(append(append(refs, refs...), "forged")).Draw(r, "ref")
	}
	var err error
	switch step := rapid.SampledFrom([]string{"begin", "begin", "pays", "pays", "gives up", "notice", "notice", "reconcile", "wait", "refund", "refund", "refund", "refuses", "gives back", "cancel"}).Draw(r, "step"); step {
	case "begin":
		_, err = till.Begin(ctx, o, rapid.SampledFrom([]string{"stripe", "yookassa"}).Draw(r, "method"), 1400, "https://tea.test/")
	case "pays", "gives up":
		if p := b.payments[some()]; p != nil && p.state == pay.Open {
			if p.state = pay.Paid; step == "gives up" {
				p.state = pay.Failed
			}
		}
	case "notice":
		err = till.Heard(ctx, c.shop, rapid.SampledFrom([]string{"stripe", "yookassa"}).Draw(r, "of"), pay.Notification{Ref: some()}, []byte("{}"))
	case "reconcile":
		_, err = till.Reconcile(ctx)
	case "wait":
		at.ahead += time.Duration(rapid.IntRange(1, 120).Draw(r, "minutes")) * time.Minute
	case "refund":
		id := shop.PaymentID(0)
		if p := b.payments[some()]; p != nil && rapid.Bool().Draw(r, "named") {
			id = p.Payment
		}
		err = till.Refund(ctx, c.shop, o.ID, id, 0)
	case "refuses":
		b.refuses = !b.refuses
	case "gives back": // the owner refunds at the provider
		if p := b.payments[some()]; p != nil && p.state == pay.Paid {
			p.refunded = p.Amount
		}
	case "cancel":
		_ = c.store.Write(ctx, c.shop, func(tx *store.Tx) error {
			now, err := sales.LockOrder(ctx, tx, o.ID)
			if err != nil {
				return err
			}
			return sales.SetOrderStatus(ctx, tx, &now, shop.OrderCancelled, 0)
		})
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, pay.ErrUnknown) && !errors.Is(err, pay.ErrRefused) && !errors.Is(err, sales.ErrOrderNotPaid) {
		r.Fatal(err)
	}
}

// agrees compares the stored state with the bank's.
func (c *tillFixture) agrees(r *rapid.T, b *bank, o sales.Order) {
	ctx := context.Background()
	reader := c.store.Shop(c.shop)
	came := false
	for _, p := range b.payments {
		came = came || p.state == pay.Paid
		if p.refunded > 0 && p.state != pay.Paid || p.refunded > p.Amount {
			r.Fatalf("more was refunded than paid: %+v", p)
		}
	}
	history, err := sales.OrderHistory(ctx, reader, o.ID)
	if err != nil {
		r.Fatal(err)
	}
	events := storetest.Events(r, c.store.Pool, int(c.shop))
	told := 0
	for _, e := range events {
		if e.Name == "order.paid" && string(e.Body) != "" && containsID(e.Body, o.ID) {
			told++
		}
	}
	want := 0
	if came {
		want = 1
	}
	if told != want {
		r.Fatalf("order.paid was reported %d times, the bank has money: %v; %+v", told, came, history)
	}
	for _, name := range []string{"order_paid_buyer", "order_paid_seller"} {
		letters, _, err := letter.List(ctx, reader, "", name, 1000, 0)
		if err != nil {
			r.Fatal(err)
		}
		written := 0
		for _, l := range letters {
			if l.Order != nil && *l.Order == o.ID {
				written++
			}
		}
		if written != want {
			r.Fatalf("%d letters %s, the bank has money: %v", written, name, came)
		}
	}
	paid, err := sales.Payments(ctx, reader, []shop.OrderID{o.ID})
	if err != nil {
		r.Fatal(err)
	}
	p := paid[o.ID].Main()
	if (p.PaidAt != nil) != came {
		r.Fatalf("%+v, the bank has money: %v", p, came)
	}
	if p.Status == "pending" {
		r.Fatalf("still unknown after three days: %+v", p)
	}
	for _, at := range b.payments { // all payments of the bank, because a buyer may pay twice
		kept, err := sales.GetPayment(ctx, reader, at.Payment)
		if err != nil {
			r.Fatal(err)
		}
		_, _, state, asked, err := sales.RefundOf(ctx, reader, at.Payment)
		if err != nil || state == "created" || asked && (at.refunded > 0) != (state == "confirmed") || (kept.RefundedAt != nil) != (at.refunded > 0) {
			r.Fatalf("the refund is %q, %d was refunded; %+v, %v", state, at.refunded, kept, err)
		}
		switch {
		case at.refunded > 0 && kept.Status != "refunded", at.refunded == 0 && at.state == pay.Paid && kept.Status != "paid" && kept.Status != "paid_again",
			kept.ID == p.ID && kept.Status == "paid_again":
			r.Fatalf("%d was refunded, the payment is %s", at.refunded, kept.Status)
		}
		if at.refunded > 0 && at.refunded != 1400 {
			r.Fatalf("%+v", at)
		}
		if kept.Status == "pending" || (kept.PaidAt != nil) != (at.state == pay.Paid) {
			r.Fatalf("the state at the bank is %s: %+v", at.state, kept)
		}
	}
}

func containsID(body []byte, id shop.OrderID) bool {
	var said struct {
		Order shop.OrderID `json:"order_id"`
	}
	return json.Unmarshal(body, &said) == nil && said.Order == id
}
