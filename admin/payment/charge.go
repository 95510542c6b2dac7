package payment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// chargeMethod is the method of charges.
const chargeMethod = "stripe"

const (
	authorizeTime  = 30 * time.Second // of all tries to authorise a charge
	authorizeTries = 3
	retryPause     = 100 * time.Millisecond

	// chargeLease is how long a charge may wait for its order. It is longer than authorizeTime, so that
	// the worker meets only charges whose caller has died, and Attach refuses what it gave up.
	chargeLease = 2 * time.Minute
	// missingAfter is the age at which a charge that the provider does not know was never made.
	missingAfter = time.Hour
	// lapsedAfter is the age at which reserved money has returned to the buyer by itself.
	lapsedAfter = 8 * 24 * time.Hour
)

// errAttached reports that a charge belongs to an order, so that only a refund returns its money.
var errAttached = errors.New("payment: the charge belongs to an order")

// HandlerOf returns what a shop offers to programs that pay with tokens. It is valid until the version
// of the shop changes.
func (ps *Payments) HandlerOf(ctx context.Context, company shop.CompanyID) (h pay.Handler, err error) {
	r := ps.Store.Shop(company)
	list, err := sales.PaymentMethods(ctx, r)
	if err != nil {
		return h, err
	}
	m := methodIn(list, chargeMethod)
	if !m.IsActive || m.Sealed == nil {
		return h, nil
	}
	info, err := companydb.Info(ctx, r)
	if err != nil || !pay.Charges(chargeMethod, info.Currency, info.PriceDigits) {
		return h, err
	}
	s, err := ps.secrets(company, m)
	if err != nil {
		return h, err
	}
	h = pay.Handler{Provider: chargeMethod, Live: pay.StripeLive(s.SecretKey), MerchantName: info.Name, MerchantID: m.Public.MerchantID}
	if key := m.Public.PublishableKey; key != "" && pay.StripeLive(key) == h.Live {
		h.PublishableKey, h.GoogleMerchantID = key, m.Public.GoogleMerchantID
	}
	return h, nil
}

// Authorize reserves money for an order that is about to be placed. The errors are pay.ErrDeclined,
// pay.ErrActionRequired and pay.ErrUndecided; nothing stays reserved after any error. A charge that is
// neither attached to an order nor voided within two minutes is voided by the worker.
func (ps *Payments) Authorize(ctx context.Context, company shop.CompanyID, in pay.NewCharge) (sales.Charge, error) {
	if err := ps.active(ctx, company, chargeMethod); err != nil {
		return sales.Charge{}, err
	}
	return ps.till.Authorize(ctx, company, in)
}

// Attach makes a charge the payment of an order, within the transaction that places the order. If it
// fails the order must not be placed.
func (ps *Payments) Attach(ctx context.Context, tx *store.Tx, c sales.Charge, o *sales.Order) error {
	return ps.till.Attach(ctx, tx, c, o)
}

// Capture takes the money of a charge after its order was placed. The errors are pay.ErrDeclined, after
// which the order is unpaid, and pay.ErrUndecided, after which the worker continues.
func (ps *Payments) Capture(ctx context.Context, company shop.CompanyID, c sales.Charge) error {
	return ps.till.Capture(ctx, company, c)
}

// Void releases the money of a charge whose order was not placed; the worker repeats it if the provider
// does not respond. If the order was placed after all, it fails and changes nothing.
func (ps *Payments) Void(ctx context.Context, company shop.CompanyID, c sales.Charge) error {
	return ps.till.Void(ctx, company, c)
}

// Authorize is [Payments.Authorize].
func (t *Till) Authorize(ctx context.Context, company shop.CompanyID, in pay.NewCharge) (c sales.Charge, err error) {
	charger, err := t.charger(ctx, company)
	if err != nil {
		return c, err
	}
	err = t.Store.Write(ctx, company, func(tx *store.Tx) error {
		c, err = sales.BeginCharge(ctx, tx, sales.Charge{Session: in.Session, AmountMinor: in.AmountMinor, Currency: in.Currency}, t.Now().Add(chargeLease))
		return err
	})
	if err != nil {
		return c, err
	}
	seen, err := authorize(ctx, charger, c.ID, in)
	if err == nil && (seen.Amount != c.AmountMinor || seen.Currency != c.Currency) {
		err = fmt.Errorf("%w: %d %s were reserved", pay.ErrUnknown, seen.Amount, seen.Currency)
	}
	ctx = context.WithoutCancel(ctx) // the result counts even if the caller has gone
	switch {
	case errors.Is(err, pay.ErrDeclined):
		return c, errors.Join(err, t.Store.Write(ctx, company, func(tx *store.Tx) error { return sales.EndCharge(ctx, tx, c.ID, "failed") }))
	case errors.Is(err, pay.ErrActionRequired):
		c.Ref = seen.Ref
		return c, errors.Join(err, t.Void(ctx, company, c))
	case err != nil: // the provider may still be working on it
		failed := t.Store.Write(ctx, company, func(tx *store.Tx) error {
			_, _, err := sales.GiveUpCharge(ctx, tx, c.ID, seen.Ref, t.Now().Add(pause(0)))
			return err
		})
		return c, errors.Join(pay.ErrUndecided, err, failed)
	}
	var ok bool
	err = t.Store.Write(ctx, company, func(tx *store.Tx) error {
		now, done, err := sales.AuthoriseCharge(ctx, tx, c.ID, seen.Ref, t.Now().Add(chargeLease))
		if ok = done; ok {
			c = now
		}
		return err
	})
	if err == nil && !ok { // the worker was faster
		c.Ref = seen.Ref
		err = errors.Join(pay.ErrUndecided, t.Void(ctx, company, c))
	}
	return c, err
}

// authorize calls a provider until it answers.
func authorize(ctx context.Context, charger pay.Charger, attempt uuid.UUID, in pay.NewCharge) (seen pay.Status, err error) {
	ctx, cancel := context.WithTimeout(ctx, authorizeTime)
	defer cancel()
	for range authorizeTries {
		seen, err = charger.Authorize(ctx, attempt.String(), in)
		if !errors.Is(err, pay.ErrUnknown) {
			break
		}
		select {
		case <-ctx.Done():
			return seen, err
		case <-time.After(retryPause):
		}
	}
	return seen, err
}

// Attach is [Payments.Attach].
func (t *Till) Attach(ctx context.Context, tx *store.Tx, c sales.Charge, o *sales.Order) error {
	amount, digits, ok, err := sales.AttachCharge(ctx, tx, c.ID, chargeMethod, o, t.Now().Add(pause(0)))
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: it was given up", pay.ErrUndecided)
	case amount != shop.MinorUnits(o.GrandTotal, o.Currency, digits):
		return fmt.Errorf("%w: the total has changed", pay.ErrUndecided)
	}
	return nil
}

// Capture is [Payments.Capture].
func (t *Till) Capture(ctx context.Context, company shop.CompanyID, c sales.Charge) error {
	ctx = context.WithoutCancel(ctx)
	p, found, err := sales.PaymentByRef(ctx, t.Store.Shop(company), chargeMethod, c.Ref)
	if err != nil || !found {
		return errors.Join(pay.ErrUndecided, err)
	}
	charger, err := t.charger(ctx, company)
	if err != nil {
		return errors.Join(pay.ErrUndecided, err)
	}
	err = t.conclude(ctx, company, charger, p, pay.Status{Ref: p.Ref, State: pay.Authorised, Amount: p.AmountMinor, Currency: p.Currency})
	if err != nil {
		return errors.Join(pay.ErrUndecided, err)
	}
	if p, err = sales.GetPayment(ctx, t.Store.Shop(company), p.ID); err == nil && p.PaidAt == nil {
		err = &pay.Decline{}
	}
	return err
}

// take takes the money that a provider has reserved for a payment, or releases it if the order was
// cancelled. If the provider refuses to take it for good, it is released too.
func (t *Till) take(ctx context.Context, company shop.CompanyID, charger pay.Charger, p sales.Payment) (pay.Status, error) {
	o, err := sales.GetOrder(ctx, t.Store.Shop(company), p.Order)
	if err != nil {
		return pay.Status{}, err
	}
	if o.Status == shop.OrderCancelled {
		return void(ctx, charger, p.Ref, p.Key)
	}
	seen, err := charger.Capture(ctx, p.Ref, p.Key.String()+"-capture")
	if !errors.Is(err, pay.ErrRefused) {
		return seen, err
	}
	seen, err = charger.Fetch(ctx, p.Ref)
	if err == nil && seen.State == pay.Authorised {
		return void(ctx, charger, p.Ref, p.Key)
	}
	return seen, err
}

// void releases what a provider has reserved, or returns its state if it refuses.
func void(ctx context.Context, charger pay.Charger, ref string, attempt uuid.UUID) (pay.Status, error) {
	seen, err := charger.Void(ctx, ref, attempt.String()+"-void")
	if errors.Is(err, pay.ErrRefused) {
		return charger.Fetch(ctx, ref)
	}
	return seen, err
}

// Void is [Payments.Void].
func (t *Till) Void(ctx context.Context, company shop.CompanyID, c sales.Charge) error {
	ctx = context.WithoutCancel(ctx)
	ok := false
	err := t.Store.Write(ctx, company, func(tx *store.Tx) (err error) {
		c, ok, err = sales.GiveUpCharge(ctx, tx, c.ID, c.Ref, t.Now().Add(lease))
		return err
	})
	switch {
	case err != nil:
		return err
	case !ok:
		return errAttached
	}
	return unexpected(t.release(ctx, c))
}

// release releases the money of a charge that was given up. Money that was taken by hand meanwhile is
// refunded.
func (t *Till) release(ctx context.Context, c sales.Charge) error {
	end := func(state string) error {
		return t.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return sales.EndCharge(ctx, tx, c.ID, state) })
	}
	age := t.Now().Sub(c.CreatedAt)
	if age > lapsedAfter {
		return end("failed")
	}
	seen, found, err := t.released(ctx, c)
	switch {
	case err == nil && !found && age > missingAfter:
		return end("failed")
	case err == nil && found && seen.State == pay.Failed:
		return end("voided")
	case err == nil && found && seen.State == pay.Paid && seen.Refunded >= seen.Amount:
		return end("voided")
	}
	return errors.Join(err, t.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		return sales.DelayCharge(ctx, tx, c.ID, t.Now().Add(pause(c.Looks)))
	}))
}

// released finds a charge at its provider and releases its money.
func (t *Till) released(ctx context.Context, c sales.Charge) (seen pay.Status, found bool, err error) {
	charger, err := t.charger(ctx, c.Company)
	if err != nil {
		return seen, false, err
	}
	if c.Ref == "" {
		if seen, found, err = charger.FindByAttempt(ctx, c.ID.String(), c.CreatedAt); err != nil || !found {
			return seen, false, err
		}
		c.Ref = seen.Ref
	}
	seen, err = void(ctx, charger, c.Ref, c.ID)
	if err == nil && seen.State == pay.Paid && seen.Refunded == 0 {
		err = charger.Refund(ctx, pay.Refund{Ref: c.Ref, Amount: seen.Amount, Currency: seen.Currency, Key: c.ID.String() + "-refund"})
		seen.Refunded = seen.Amount
	}
	return seen, err == nil, err
}

// heardOfCharge continues to release a charge of which the provider has sent a notification.
func (t *Till) heardOfCharge(ctx context.Context, company shop.CompanyID, attempt string) error {
	id, err := uuid.Parse(strings.TrimSpace(attempt))
	if err != nil {
		return nil //nolint:nilerr // the charge of another program
	}
	c, found, err := sales.GetCharge(ctx, t.Store.Shop(company), id)
	if err != nil || !found || c.State != "voiding" {
		return err
	}
	return unexpected(t.release(ctx, c))
}

// charger returns the provider of a shop's charges.
func (t *Till) charger(ctx context.Context, company shop.CompanyID) (pay.Charger, error) {
	p, err := t.Provider(ctx, company, chargeMethod)
	if err != nil {
		return nil, err
	}
	charger, ok := p.(pay.Charger)
	if !ok {
		return nil, errNoProvider
	}
	return charger, nil
}
