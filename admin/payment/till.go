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
	"vitrine/internal/span"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Till manages the life of payments: it starts, queries and refunds them. It may be interrupted
// between any two steps and continued by another process: the rows written before a call to a
// provider, with their idempotency keys, determine how to continue.
type Till struct {
	Store    *store.Store
	Provider func(ctx context.Context, company shop.CompanyID, method string) (pay.Provider, error)
	About    func(ctx context.Context, o sales.Order) (title string, lines []pay.Line, err error) // an order, as shown by the provider
	Now      func() time.Time

	Unknown atomic.Int64 // notifications that were neither signed nor about a known payment
}

const (
	lease        = time.Minute    // of a claimed payment
	openLifetime = 24 * time.Hour // after which an open payment counts as expired
	batch        = 20
)

// pauses are the delays before a provider is queried again; the last one repeats. A notification
// triggers a query earlier.
var pauses = [...]time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
}

func pause(looks int) time.Duration { return pauses[min(looks, len(pauses)-1)] }

// paidQueries is how often a paid payment is queried, after 1, 2, 4, … days, because the money may
// be refunded directly at the provider. Notifications report that earlier.
const paidQueries = 8

// paidPause returns the time until a paid payment is queried again, or nil if it no longer is.
func paidPause(looks int) *time.Duration {
	if looks >= paidQueries {
		return nil
	}
	wait := 24 * time.Hour << looks
	return &wait
}

// Begin starts a payment of an order, or returns the one that is open or paid. The error is
// pay.ErrRefused or pay.ErrUnknown if the provider did not accept it; an unknown one is started
// again by the next call or the next query.
func (t *Till) Begin(ctx context.Context, o sales.Order, method string, amount int64, returnURL string) (p sales.Payment, err error) {
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, o.ID); err != nil {
			return err
		}
		var look *time.Time // manual payments have no provider to query
		if method != sales.ManualMethod {
			first := t.Now().Add(pause(0))
			look = &first
		}
		p, err = sales.OpenPayment(ctx, tx, sales.Payment{
			Order: o.ID, Method: method, AmountMinor: amount, Currency: o.Currency, ReturnURL: returnURL,
		}, look)
		return err
	})
	if err != nil || p.PaidAt != nil || p.Ref != "" || p.Method == sales.ManualMethod {
		return p, err
	}
	return t.begin(ctx, o, p)
}

// begin calls the provider of a payment that the provider has not accepted yet.
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
		return p, fmt.Errorf("%w: the response has no reference of the payment", pay.ErrUnknown)
	}
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		p, err = sales.RecordPaymentStart(ctx, tx, p.ID, started.Ref, started.URL)
		return err
	})
	return p, err
}

// Look queries the provider about a payment and stores the result.
func (t *Till) Look(ctx context.Context, company shop.CompanyID, id shop.PaymentID) error {
	r := t.Store.Shop(company)
	p, err := sales.GetPayment(ctx, r, id)
	if err != nil || p.RefundedAt != nil || p.Method == sales.ManualMethod || p.PaidAt != nil && p.Ref == "" {
		return err
	}
	if p.Ref == "" {
		if p.Status != "pending" {
			return nil
		}
		if t.Now().Sub(p.CreatedAt) > openLifetime { // the buyer never got the URL of the provider
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
	return t.conclude(ctx, company, provider, p, seen)
}

// conclude stores what a provider reports about a payment. Money that it has only reserved is taken
// or released first.
func (t *Till) conclude(ctx context.Context, company shop.CompanyID, provider pay.Provider, p sales.Payment, seen pay.Status) (err error) {
	if charger, ok := provider.(pay.Charger); ok && seen.State == pay.Authorised && p.Status == "pending" {
		if seen, err = t.take(ctx, company, charger, p); err != nil {
			return err
		}
	}
	return t.change(ctx, company, p, func(tx *store.Tx, o sales.Order, p sales.Payment) error { return t.settle(ctx, tx, o, p, seen) })
}

// settle stores what a provider reports about a payment. A payment counts if amount, currency and
// payment id match; a refund counts if it is complete.
func (t *Till) settle(ctx context.Context, tx *store.Tx, o sales.Order, p sales.Payment, seen pay.Status) error {
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
		return sales.MarkPaid(ctx, tx, o, p, t.Now().Add(*paidPause(0)))
	case seen.State == pay.Failed:
		return sales.FailPayment(ctx, tx, p, "failed")
	case t.Now().Sub(p.CreatedAt) > openLifetime:
		return sales.FailPayment(ctx, tx, p, "expired")
	}
	return nil
}

// change runs a change of a payment under the lock of its order, like all changes of it.
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

// Refund refunds one payment of an order in full: the one with the id or, without an id, the one
// chosen by store.Attempts.Refunded. If a provider has the money, the payment becomes refunding
// and the worker calls the provider; otherwise the shop itself returns the money. Repeating the
// call retries a refused refund, and has no effect while a refund is in progress or after it.
func (t *Till) Refund(ctx context.Context, company shop.CompanyID, id shop.OrderID, payment shop.PaymentID, by shop.UserID) error {
	return t.Store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := sales.LockOrder(ctx, tx, id); err != nil {
			return err
		}
		all, err := sales.Payments(ctx, tx.Reader, []shop.OrderID{id})
		if err != nil {
			return err
		}
		p, paid := all[id].ToRefund()
		if payment != 0 {
			at := slices.IndexFunc(all[id], func(p sales.Payment) bool { return p.ID == payment })
			if at < 0 {
				return sales.ErrPaymentNotFound.At("payment_id").With(payment.String())
			}
			p = all[id][at]
			paid = p.PaidAt != nil && p.Provider != sales.ProviderNone
		}
		if !paid {
			return sales.ErrOrderNotPaid
		}
		return sales.Refund(ctx, tx, p, by, t.Now())
	})
}

// refund requests a refund from a provider, once per idempotency key.
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
	if refused != nil { // possibly because the money was already refunded
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
			why := strings.TrimPrefix(refused.Error(), pay.ErrRefused.Error()+": ")
			return sales.RefuseRefund(ctx, tx, o, p, shorten(secret.Mask(why), maxReason))
		}
		return sales.ConfirmRefund(ctx, tx, p)
	})
}

// maxReason bounds the provider's reason for a refusal, in bytes.
const maxReason = 500

func shorten(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// Heard handles a provider's notification: it stores the notification and queries the payment.
// Where a provider does not sign, anyone can send notifications, so one that is neither signed
// nor about a payment of the shop is only counted. A payment that is not known yet is found by
// its next query: its start may still be in progress.
func (t *Till) Heard(ctx context.Context, company shop.CompanyID, method string, n pay.Notification, body []byte) error {
	r := t.Store.Shop(company)
	p, found, err := sales.PaymentByRef(ctx, r, method, n.Ref)
	if err == nil && !found && n.Signed && n.Payment != 0 {
		p, found, err = sales.PaymentOfMethod(ctx, r, method, n.Payment)
	}
	if err == nil && !found && n.Signed && n.Charge != "" {
		err = t.heardOfCharge(ctx, company, n.Charge)
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
	err = t.Store.Write(ctx, company, func(tx *store.Tx) error { return sales.RecordNotice(ctx, tx, method, ref, body) })
	if err != nil || !found {
		return err
	}
	if err := t.Look(ctx, company, p.ID); errors.Is(err, pay.ErrUnknown) || errors.Is(err, pay.ErrRefused) {
		return nil // it is queried again later
	} else {
		return err
	}
}

// Reconcile queries payments and refunds that are due, and reports whether there may be more. A
// failure of one does not prevent the others.
func (t *Till) Reconcile(ctx context.Context) (more bool, err error) {
	due, err := sales.DuePayments(ctx, t.Store, t.Now(), lease, batch)
	for _, d := range due {
		ctx, traced := span.Work(ctx, "worker payments")
		failed := t.Look(ctx, d.Company, d.Payment)
		err = errors.Join(err, unexpected(failed), t.scheduleNext(ctx, d))
		traced.EndWith(unexpected(failed))
	}
	back, failed := sales.DueRefunds(ctx, t.Store, t.Now(), lease, batch)
	err = errors.Join(err, failed)
	for _, d := range back {
		ctx, traced := span.Work(ctx, "worker refunds")
		failed := t.refund(ctx, d.Company, d.Payment)
		err = errors.Join(err, unexpected(failed), t.Store.Write(ctx, d.Company, func(tx *store.Tx) error {
			return sales.ScheduleRefund(ctx, tx, d.Payment, t.Now().Add(pause(d.Checks+1)))
		}))
		traced.EndWith(unexpected(failed))
	}
	charges, failed := sales.DueCharges(ctx, t.Store, t.Now(), lease, batch)
	err = errors.Join(err, failed)
	for _, c := range charges {
		err = errors.Join(err, unexpected(t.release(ctx, c)))
	}
	return len(due) == batch || len(back) == batch || len(charges) == batch, err
}

// scheduleNext schedules the next query of a payment: an open one soon, a paid one a few times
// during the months in which a provider may refund it.
func (t *Till) scheduleNext(ctx context.Context, d sales.DuePayment) error {
	wait := pause(d.Checks + 1)
	next := &wait
	if d.Paid {
		next = paidPause(d.Checks + 1)
	}
	var at *time.Time
	if next != nil {
		then := t.Now().Add(*next)
		at = &then
	}
	return t.Store.Write(ctx, d.Company, func(tx *store.Tx) error { return sales.ScheduleCheck(ctx, tx, d.Payment, d.Paid, at) })
}

// unexpected filters out errors that are expected of a provider from time to time.
func unexpected(err error) error {
	if errors.Is(err, pay.ErrUnknown) || errors.Is(err, pay.ErrRefused) {
		return nil
	}
	return err
}
