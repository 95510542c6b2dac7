package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Till is the life of payments: they begin, are looked at, are given back. It may be
// stopped between any two steps, and done again by another process: what it writes
// before a call to a provider, and the key of the row, say how to go on.
type Till struct {
	Store    *store.Store
	Provider func(ctx context.Context, company shop.CompanyID, method string) (pay.Provider, error)
	Title    func(ctx context.Context, o store.Order) (string, error) // of an order, as the buyer reads it at the provider
	Now      func() time.Time
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

// Begin opens a payment of an order, or answers the one that is open, or the one that
// was paid. It is pay.ErrRefused or pay.ErrUnknown when the provider has not taken it;
// an unknown one is begun again by the next call or the next look.
func (t *Till) Begin(ctx context.Context, o store.Order, method string, amount int64, returnURL string) (p store.Payment, err error) {
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = tx.LockOrder(ctx, o.ID); err != nil {
			return err
		}
		p, err = tx.OpenPayment(ctx, store.Payment{
			Order: o.ID, Method: method, AmountMinor: amount, Currency: o.Currency, ReturnURL: returnURL,
		}, t.Now().Add(pause(0)))
		return err
	})
	if err != nil || p.PaidAt != nil || p.Ref != "" {
		return p, err
	}
	return t.begin(ctx, o, p)
}

// begin calls the provider of a payment that it has not answered yet.
func (t *Till) begin(ctx context.Context, o store.Order, p store.Payment) (store.Payment, error) {
	provider, err := t.Provider(ctx, o.Company, p.Method)
	if err != nil {
		return p, err
	}
	title, err := t.Title(ctx, o)
	if err != nil {
		return p, err
	}
	started, err := provider.Start(ctx, pay.Attempt{
		Payment: p.ID, Company: o.Company, Order: o.ID, Title: title, Amount: p.AmountMinor, Currency: p.Currency, Key: p.Key.String(),
		ReturnURL: p.ReturnURL, Email: o.Contact.Email,
	})
	if errors.Is(err, pay.ErrRefused) {
		failed := t.change(ctx, o.Company, p, func(tx *store.Tx, _ store.Order, p store.Payment) error { return tx.FailPayment(ctx, p, "refused") })
		return p, errors.Join(err, failed)
	}
	if err != nil {
		return p, err
	}
	if started.Ref == "" {
		return p, fmt.Errorf("%w: no name of the payment", pay.ErrUnknown)
	}
	err = t.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		p, err = tx.PaymentBegan(ctx, p.ID, started.Ref, started.URL)
		return err
	})
	return p, err
}

// Look asks the provider how a payment stands, and writes down what became of it.
func (t *Till) Look(ctx context.Context, company shop.CompanyID, id shop.PaymentID) error {
	r := t.Store.Shop(company)
	p, err := r.Payment(ctx, id)
	if err != nil || p.PaidAt != nil || p.Method == "manual" {
		return err
	}
	if p.Ref == "" {
		if p.Status != "pending" {
			return nil
		}
		if t.Now().Sub(p.CreatedAt) > openTime { // nobody was ever shown where to pay
			return t.change(ctx, company, p, func(tx *store.Tx, _ store.Order, p store.Payment) error { return tx.FailPayment(ctx, p, "expired") })
		}
		o, err := r.Order(ctx, p.Order)
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
	return t.change(ctx, company, p, func(tx *store.Tx, o store.Order, p store.Payment) error { return t.settle(ctx, tx, o, p, seen) })
}

// settle writes down what a provider says of a payment. Money counts when it is the
// money that was asked for, for this payment.
func (t *Till) settle(ctx context.Context, tx *store.Tx, o store.Order, p store.Payment, seen pay.Seen) error {
	wrong := seen.Ref != p.Ref || seen.Amount != p.AmountMinor || seen.Currency != p.Currency || seen.Payment != 0 && seen.Payment != p.ID
	switch {
	case seen.State == pay.Paid && wrong:
		return tx.QuarantinePayment(ctx, p, seen.Amount, seen.Currency)
	case seen.State == pay.Paid:
		return tx.PayPayment(ctx, o, p)
	case seen.State == pay.Failed:
		return tx.FailPayment(ctx, p, "failed")
	case t.Now().Sub(p.CreatedAt) > openTime:
		return tx.FailPayment(ctx, p, "expired")
	}
	return nil
}

// change runs a change of a payment behind its order, as all changes of it.
func (t *Till) change(
	ctx context.Context, company shop.CompanyID, p store.Payment, fn func(tx *store.Tx, o store.Order, p store.Payment) error,
) error {
	return t.Store.Write(ctx, company, func(tx *store.Tx) error {
		o, err := tx.LockOrder(ctx, p.Order)
		if err != nil {
			return err
		}
		now, err := tx.LockPayment(ctx, p.ID)
		if err != nil {
			return err
		}
		return fn(tx, o, now)
	})
}

// Refund marks the payment of an order as refunded in full, and gives the money back
// where a provider has it. Once marked it stays so; what the provider makes of it
// stands in the history.
func (t *Till) Refund(ctx context.Context, company shop.CompanyID, id shop.OrderID, by shop.UserID) error {
	var p store.Payment
	err := t.Store.Write(ctx, company, func(tx *store.Tx) error {
		if _, err := tx.LockOrder(ctx, id); err != nil {
			return err
		}
		paid, err := tx.Payments(ctx, []shop.OrderID{id})
		if err != nil {
			return err
		}
		if err := tx.MarkRefund(ctx, id, by); err != nil {
			return err
		}
		if p = paid[id]; p.ByHand() || p.AmountMinor == 0 {
			p = store.Payment{}
			return nil
		}
		return tx.AskRefund(ctx, p, t.Now().Add(pause(0)))
	})
	if err != nil || p.ID == 0 {
		return err
	}
	if err := t.refund(ctx, company, p.ID); errors.Is(err, pay.ErrUnknown) {
		return nil // it is tried again
	} else {
		return err
	}
}

// refund gives back what was asked for, once under its key.
func (t *Till) refund(ctx context.Context, company shop.CompanyID, id shop.PaymentID) error {
	r := t.Store.Shop(company)
	key, amount, state, found, err := r.RefundOf(ctx, id)
	if err != nil || !found || state != "created" {
		return err
	}
	p, err := r.Payment(ctx, id)
	if err != nil {
		return err
	}
	provider, err := t.Provider(ctx, company, p.Method)
	if err != nil {
		return err
	}
	err = provider.Refund(ctx, pay.Refund{Ref: p.Ref, Amount: amount, Currency: p.Currency, Key: key})
	switch {
	case errors.Is(err, pay.ErrRefused):
		state, err = "failed", nil
	case err != nil:
		return err
	default:
		state = "confirmed"
	}
	return errors.Join(err, t.change(ctx, company, p, func(tx *store.Tx, _ store.Order, p store.Payment) error { return tx.SettleRefund(ctx, p, state) }))
}

// Heard keeps what a provider told and looks at the payment that it is about. One
// that is not known yet is found by the next look at it: its beginning may still be
// on its way.
func (t *Till) Heard(ctx context.Context, company shop.CompanyID, method, ref string, body []byte) error {
	err := t.Store.Write(ctx, company, func(tx *store.Tx) error { return tx.KeepNotice(ctx, method, ref, body) })
	if err != nil || ref == "" {
		return err
	}
	p, found, err := t.Store.Shop(company).PaymentByRef(ctx, method, ref)
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
	due, err := t.Store.DuePayments(ctx, t.Now(), lease, batch)
	for _, d := range due {
		failed := t.Look(ctx, d.Company, d.Payment)
		err = errors.Join(err, serious(failed), t.Store.Write(ctx, d.Company, func(tx *store.Tx) error {
			return tx.LookAgain(ctx, d.Payment, t.Now().Add(pause(d.Looks+1)))
		}))
	}
	back, failed := t.Store.DueRefunds(ctx, t.Now(), lease, batch)
	err = errors.Join(err, failed)
	for _, d := range back {
		failed := t.refund(ctx, d.Company, d.Payment)
		err = errors.Join(err, serious(failed), t.Store.Write(ctx, d.Company, func(tx *store.Tx) error {
			return tx.TryRefundAgain(ctx, d.Payment, t.Now().Add(pause(d.Looks+1)))
		}))
	}
	return len(due) == batch || len(back) == batch, err
}

// serious leaves out what a provider is expected to do now and then.
func serious(err error) error {
	if errors.Is(err, pay.ErrUnknown) || errors.Is(err, pay.ErrRefused) {
		return nil
	}
	return err
}
