package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Till is the life of payments: they begin, are looked at, are given back. It may be
// stopped between any two steps, and done again by another process: what it writes
// before a call to a provider, and the key of the row, say how to go on.
type Till struct {
	Store    *store.Store
	Provider func(ctx context.Context, company shop.CompanyID, method string) (pay.Provider, error)
	About    func(ctx context.Context, o sales.Order) (title string, lines []pay.Line, err error) // an order, as the provider tells it
	Now      func() time.Time

	Unknown atomic.Int64 // notifications that were neither signed nor about a known payment
}

const (
	lease    = time.Minute    // of a claimed payment
	openTime = 24 * time.Hour // after which an open payment counts as given up
	batch    = 20
)

// pauses are how long to wait before a provider is asked again; the last one repeats.
// A notification comes sooner.
var pauses = [...]time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
}

func pause(looks int) time.Duration { return pauses[min(looks, len(pauses)-1)] }

// paidLooks is how often a paid payment is looked at, after 1, 2, 4, … days: somebody may
// have given the money back at the provider. Notifications tell of it sooner.
const paidLooks = 8

// paidPause is the time before a paid payment is looked at again; nil: not any more.
func paidPause(looks int) *time.Duration {
	if looks >= paidLooks {
		return nil
	}
	wait := 24 * time.Hour << looks
	return &wait
}

// Begin opens a payment of an order, or answers the one that is open, or the one that
// was paid. It is pay.ErrRefused or pay.ErrUnknown when the provider has not taken it;
// an unknown one is begun again by the next call or the next look.
func (t *Till) Begin(ctx context.Context, o sales.Order, method string, amount int64, returnURL string) (p sales.Payment, err error) {
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, o.ID); err != nil {
			return err
		}
		var look *time.Time // nobody is asked about money that goes from hand to hand
		if method != sales.ByHand {
			first := t.Now().Add(pause(0))
			look = &first
		}
		p, err = sales.OpenPayment(ctx, tx, sales.Payment{
			Order: o.ID, Method: method, AmountMinor: amount, Currency: o.Currency, ReturnURL: returnURL,
		}, look)
		return err
	})
	if err != nil || p.PaidAt != nil || p.Ref != "" || p.Method == sales.ByHand {
		return p, err
	}
	return t.begin(ctx, o, p)
}

// begin calls the provider of a payment that it has not answered yet.
func (t *Till) begin(ctx context.Context, o sales.Order, p sales.Payment) (sales.Payment, error) {
	provider, err := t.Provider(ctx, o.Company, p.Method)
	if err != nil {
		return p, err
	}
	title, lines, err := t.About(ctx, o)
	if err != nil {
		return p, err
	}
	started, err := provider.Start(ctx, pay.Attempt{
		Payment: p.ID, Company: o.Company, Order: o.ID, Title: title, Amount: p.AmountMinor, Currency: p.Currency, Key: p.Key.String(),
		ReturnURL: p.ReturnURL, Email: o.Contact.Email, Phone: o.Contact.Phone, Lines: lines,
	})
	if errors.Is(err, pay.ErrRefused) {
		failed := t.change(ctx, o.Company, p, func(tx *store.Tx, _ sales.Order, p sales.Payment) error {
			return sales.FailPayment(ctx, tx, p, "refused")
		})
		return p, errors.Join(err, failed)
	}
	if err != nil {
		return p, err
	}
	if started.Ref == "" {
		return p, fmt.Errorf("%w: no name of the payment", pay.ErrUnknown)
	}
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		p, err = sales.PaymentBegan(ctx, tx, p.ID, started.Ref, started.URL)
		return err
	})
	return p, err
}

// Look asks the provider how a payment stands, and writes down what became of it.
func (t *Till) Look(ctx context.Context, company shop.CompanyID, id shop.PaymentID) error {
	r := t.Store.Shop(company)
	p, err := sales.GetPayment(ctx, r, id)
	if err != nil || p.RefundedAt != nil || p.Method == sales.ByHand || p.PaidAt != nil && p.Ref == "" {
		return err
	}
	if p.Ref == "" {
		if p.Status != "pending" {
			return nil
		}
		if t.Now().Sub(p.CreatedAt) > openTime { // nobody was ever shown where to pay
			return t.change(ctx, company, p, func(tx *store.Tx, _ sales.Order, p sales.Payment) error {
				return sales.FailPayment(ctx, tx, p, "expired")
			})
		}
		o, err := sales.GetOrder(ctx, r, p.Order)
		if err == nil {
			_, err = t.begin(ctx, o, p)
		}
		return err
	}
	provider, err := t.Provider(ctx, company, p.Method)
	if err != nil {
		return err
	}
	seen, err := provider.Fetch(ctx, p.Ref)
	if err != nil {
		return err
	}
	return t.change(ctx, company, p, func(tx *store.Tx, o sales.Order, p sales.Payment) error { return t.settle(ctx, tx, o, p, seen) })
}

// settle writes down what a provider says of a payment. Money counts when it is the
// money that was asked for, for this payment; a refund when all of it went back.
func (t *Till) settle(ctx context.Context, tx *store.Tx, o sales.Order, p sales.Payment, seen pay.Seen) error {
	wrong := seen.Ref != p.Ref || seen.Amount != p.AmountMinor || seen.Currency != p.Currency || seen.Payment != 0 && seen.Payment != p.ID
	switch {
	case p.PaidAt != nil:
		if !wrong && seen.Refunded >= p.AmountMinor && p.AmountMinor > 0 {
			return sales.ConfirmRefund(ctx, tx, p)
		}
		return nil
	case seen.State == pay.Paid && wrong:
		return sales.QuarantinePayment(ctx, tx, p, seen.Amount, seen.Currency)
	case seen.State == pay.Paid:
		return sales.PayPayment(ctx, tx, o, p, t.Now().Add(*paidPause(0)))
	case seen.State == pay.Failed:
		return sales.FailPayment(ctx, tx, p, "failed")
	case t.Now().Sub(p.CreatedAt) > openTime:
		return sales.FailPayment(ctx, tx, p, "expired")
	}
	return nil
}

// change runs a change of a payment behind its order, as all changes of it.
func (t *Till) change(
	ctx context.Context, company shop.CompanyID, p sales.Payment, fn func(tx *store.Tx, o sales.Order, p sales.Payment) error,
) error {
	return t.Store.Write(ctx, company, func(tx *store.Tx) error {
		o, err := sales.LockOrder(ctx, tx, p.Order)
		if err != nil {
			return err
		}
		now, err := sales.LockPayment(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		return fn(tx, o, now)
	})
}

// Refund gives the money of one payment of an order back in full: that of an id, or the
// one that a refund without an id means (store.Attempts.Refunded). Where a provider has
// the money the payment is refunding, and the worker asks the provider; else the shop
// itself gives it back. The same call again tries a refund that was refused once more,
// and changes nothing while one goes on or after it.
func (t *Till) Refund(ctx context.Context, company shop.CompanyID, id shop.OrderID, payment shop.PaymentID, by shop.UserID) error {
	return t.Store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := sales.LockOrder(ctx, tx, id); err != nil {
			return err
		}
		all, err := sales.Payments(ctx, tx.Reader, []shop.OrderID{id})
		if err != nil {
			return err
		}
		p, paid := all[id].Refunded()
		if payment != 0 {
			at := slices.IndexFunc(all[id], func(p sales.Payment) bool { return p.ID == payment })
			if at < 0 {
				return sales.ErrPaymentNotFound.At("payment_id").With(payment.String())
			}
			p = all[id][at]
			paid = p.PaidAt != nil && p.Provider != sales.ProviderNone
		}
		switch {
		case !paid:
			return sales.ErrOrderNotPaid
		case p.ByHand() || p.AmountMinor == 0:
			return sales.MarkRefund(ctx, tx, p, by)
		}
		return sales.AskRefund(ctx, tx, p, by, t.Now())
	})
}

// refund asks a provider for what is to go back, once under its key.
func (t *Till) refund(ctx context.Context, company shop.CompanyID, id shop.PaymentID) error {
	r := t.Store.Shop(company)
	key, amount, state, found, err := sales.RefundOf(ctx, r, id)
	if err != nil || !found || state != "created" {
		return err
	}
	p, err := sales.GetPayment(ctx, r, id)
	if err != nil {
		return err
	}
	provider, err := t.Provider(ctx, company, p.Method)
	if err != nil {
		return err
	}
	err = provider.Refund(ctx, pay.Refund{Ref: p.Ref, Amount: amount, Currency: p.Currency, Key: key})
	if err != nil && !errors.Is(err, pay.ErrRefused) {
		return err
	}
	refused := err
	if refused != nil { // perhaps since the money has gone back already
		seen, err := provider.Fetch(ctx, p.Ref)
		if err != nil && !errors.Is(err, pay.ErrRefused) {
			return err
		}
		if err == nil && seen.Refunded >= amount {
			refused = nil
		}
	}
	return t.change(ctx, company, p, func(tx *store.Tx, o sales.Order, p sales.Payment) error {
		if refused != nil {
			return sales.RefuseRefund(ctx, tx, o, p, shorten(secret.Mask(refused.Error()), maxWhy))
		}
		return sales.ConfirmRefund(ctx, tx, p)
	})
}

// maxWhy bounds what a provider says of why it refuses, in bytes.
const maxWhy = 500

func shorten(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// Heard looks at the payment that a provider told of, and keeps what it told. Anybody can
// send notifications where a provider does not sign, so one that is neither signed nor
// about a payment of the shop is only counted. A payment that is not known yet is found
// by the next look at it: its beginning may still be on its way.
func (t *Till) Heard(ctx context.Context, company shop.CompanyID, method string, n pay.Notice, body []byte) error {
	r := t.Store.Shop(company)
	p, found, err := sales.PaymentByRef(ctx, r, method, n.Ref)
	if err == nil && !found && n.Signed && n.Payment != 0 {
		p, found, err = sales.PaymentKnown(ctx, r, method, n.Payment)
	}
	if err != nil {
		return err
	}
	if !found && !n.Signed {
		t.Unknown.Add(1)
		return nil
	}
	ref := n.Ref
	if found {
		ref = p.Ref
	}
	err = t.Store.Write(ctx, company, func(tx *store.Tx) error { return sales.KeepNotice(ctx, tx, method, ref, body) })
	if err != nil || !found {
		return err
	}
	if err := t.Look(ctx, company, p.ID); errors.Is(err, pay.ErrUnknown) || errors.Is(err, pay.ErrRefused) {
		return nil // it is looked at again
	} else {
		return err
	}
}

// Reconcile looks at payments and refunds whose time has come, and reports whether
// there may be more. A failure of one keeps no other from being looked at.
func (t *Till) Reconcile(ctx context.Context) (more bool, err error) {
	due, err := sales.DuePayments(ctx, t.Store, t.Now(), lease, batch)
	for _, d := range due {
		failed := t.Look(ctx, d.Company, d.Payment)
		err = errors.Join(err, serious(failed), t.lookAgain(ctx, d))
	}
	back, failed := sales.DueRefunds(ctx, t.Store, t.Now(), lease, batch)
	err = errors.Join(err, failed)
	for _, d := range back {
		failed := t.refund(ctx, d.Company, d.Payment)
		err = errors.Join(err, serious(failed), t.Store.Write(ctx, d.Company, func(tx *store.Tx) error {
			return sales.TryRefundAgain(ctx, tx, d.Payment, t.Now().Add(pause(d.Looks+1)))
		}))
	}
	return len(due) == batch || len(back) == batch, err
}

// lookAgain says when a payment that was due is looked at next: an open one soon, a paid
// one a few times in the months in which a provider gives money back.
func (t *Till) lookAgain(ctx context.Context, d sales.DuePayment) error {
	wait := pause(d.Looks + 1)
	next := &wait
	if d.Paid {
		next = paidPause(d.Looks + 1)
	}
	var at *time.Time
	if next != nil {
		then := t.Now().Add(*next)
		at = &then
	}
	return t.Store.Write(ctx, d.Company, func(tx *store.Tx) error { return sales.LookAgain(ctx, tx, d.Payment, d.Paid, at) })
}

// serious leaves out what a provider is expected to do now and then.
func serious(err error) error {
	if errors.Is(err, pay.ErrUnknown) || errors.Is(err, pay.ErrRefused) {
		return nil
	}
	return err
}
