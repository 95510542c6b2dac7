package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/sales"
)

// Cards takes money with a token before the order is placed (admin/payment).
type Cards interface {
	// Authorize reserves the money. Errors: pay.ErrDeclined, pay.ErrActionRequired, pay.ErrUndecided;
	// after an error nothing stays reserved.
	Authorize(ctx context.Context, company shop.CompanyID, in pay.NewCharge) (sales.Charge, error)
	// Attach makes a charge the payment of an order, in the transaction that places it.
	Attach(ctx context.Context, tx *store.Tx, c sales.Charge, o *sales.Order) error
	// Capture takes the money of a placed order. The worker repeats what fails.
	Capture(ctx context.Context, company shop.CompanyID, c sales.Charge) error
	// Void releases the money of an order that was not placed. The worker repeats what fails.
	Void(ctx context.Context, company shop.CompanyID, c sales.Charge) error
}

// Payment is what the buyer pays with. It is neither stored nor logged.
type Payment struct {
	Offline bool           // buyer and shop settle it themselves
	Card    pay.Instrument // else the token, whose Kind is 0 for none
}

// ErrPayment refuses a payment that the shop does not take, or a missing one.
var ErrPayment = shop.ErrInvalidRequest.At("payment").With("name a way to pay that the shop offers")

// ErrUndecided refuses a payment about which the provider did not answer.
var ErrUndecided = shop.Refuse(shop.Unavailable, "PAYMENT_UNDECIDED").
	When("the payment provider did not answer; nothing was ordered, and money that it reserved is released: pay again with another token").RetryAfter(5)

// ErrBarred refuses the order of a platform that the shop blocked, or whose token it revoked, during the call.
var ErrBarred = shop.Refuse(shop.PermissionDenied, "ASSISTANT_BLOCKED").When("the shop has blocked this assistant")

// takeOver is how long a session may be completing before another call tries again: longer than a
// call takes.
const takeOver = 2 * time.Minute

// Complete turns a checkout into an order: it prices the checkout once more, reserves the money, and
// places the order; only then is the money taken, so a refusal makes no order and a lost race no
// charge. What prevents the order is a problem of the returned state, and nothing was made.
func (a *Assist) Complete(ctx context.Context, c *Caller, id string, with Payment) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, c, v, id, assist.Checkout)
	if err != nil {
		return nil, err
	}
	var in Input
	if err := json.Unmarshal(s.Input, &in); err != nil {
		return nil, err
	}
	switch {
	case s.State == assist.Completed && c.repeats: // the program ended between the order and the answer
		return a.ordered(ctx, v, s, in)
	case s.State == assist.Completed, s.State == assist.Canceled, expired(s, a.Now()):
		return nil, ErrEnded
	case s.State == assist.Completing && a.Now().Sub(s.UpdatedAt) < takeOver:
		return nil, ErrBusy
	}
	st, err := a.fill(ctx, v, s, in)
	if err != nil || s.State == assist.HandedOff || len(st.Problems) > 0 {
		return st, err
	}
	if st.Total != s.ShownTotal {
		return a.repriced(ctx, c, id)
	}
	if err := st.accepts(with); err != nil {
		return nil, err
	}
	return a.place(ctx, c, v, s, st, with)
}

// begin takes the right to place the order of a session as it was read.
func (a *Assist) begin(ctx context.Context, tx *store.Tx, was assist.Session) (assist.Session, error) {
	begun, mine, err := assist.Begin(ctx, tx, was, a.Now().UTC())
	if err == nil && !mine {
		err = ErrBusy
	}
	return begun, err
}

// accepts checks that the shop takes a payment.
func (s *State) accepts(with Payment) error {
	switch {
	case s.Total == 0:
		return nil
	case with.Offline && s.takes(sales.ManualMethod):
		return nil
	case !with.Offline && with.Card.Kind != 0 && s.takes("stripe"):
		return nil
	}
	return ErrPayment
}

func (s *State) takes(method string) bool {
	for _, m := range s.Methods {
		if m.Method == method {
			return true
		}
	}
	return false
}

// place places the order of a session as it was read. Only while money is reserved the right to do so is
// taken before; else it is taken with the order.
func (a *Assist) place(ctx context.Context, c *Caller, v view, was assist.Session, st *State, with Payment) (*State, error) {
	p := Purchase{
		Buyer: cmp.Or(st.Buyer, st.Person), Cart: st.Person, Contact: st.contact(), Address: st.address(), Comment: st.Comment, Point: st.Point, Goods: st.Goods, Total: st.Total,
		PaymentMethod: sales.ManualMethod,
	}
	if st.Delivery != nil {
		p.Delivery = st.Delivery.ID
	}
	var charge sales.Charge
	card := st.Total > 0 && !with.Offline
	if !card {
		p.Before = func(ctx context.Context, tx *store.Tx) error {
			_, err := a.begin(ctx, tx, was)
			return err
		}
	} else {
		err := a.Store.Write(ctx, c.Shop, func(tx *store.Tx) (err error) {
			st.Session, err = a.begin(ctx, tx, was)
			return err
		})
		if err != nil {
			return nil, err
		}
		charge, err = a.Cards.Authorize(ctx, c.Shop, pay.NewCharge{
			Session: st.Session.ID, AmountMinor: st.Minor(st.Total), Currency: st.Currency, Title: v.Company.Name, Email: st.Contact.Email, Instrument: with.Card,
		})
		if err != nil {
			return a.unpaid(ctx, c, v, st, err)
		}
		p.PaymentMethod = "stripe"
	}
	p.Also = func(ctx context.Context, tx *store.Tx, o *sales.Order) error {
		if o.Assistant != nil && o.Assistant.Barred {
			return ErrBarred
		}
		if o.GrandTotal != st.Total || !st.isOrderedBy(o) {
			return errRepriced
		}
		if card {
			return a.Cards.Attach(ctx, tx, charge, o)
		}
		return nil
	}
	made, err := a.Place(ctx, c.Call, c.Shop, p)
	if errors.Is(err, ErrBusy) && !card {
		return nil, ErrBusy
	}
	if err != nil {
		return a.unplaced(ctx, c, st, charge, err)
	}
	if card {
		// The order stands whatever becomes of the call; the worker takes the money if this fails.
		if err := a.Cards.Capture(context.WithoutCancel(ctx), c.Shop, charge); err != nil {
			c.LogPartialFailure(err)
		}
	}
	st.State, st.Session.Order = assist.Completed, made.ID
	return a.asOrdered(v.Company, made, st.Session, st.Input)
}

// totalChanged are the refusals of an order whose total is not the one that was agreed to.
var totalChanged = map[string]bool{PriceChanged: true, "PROMO_CODE_EXHAUSTED": true, "CAMPAIGN_BUDGET_SPENT": true}

// errRepriced undoes an order that differs from the session that the platform was shown.
var errRepriced = shop.Refuse(shop.FailedPrecondition, PriceChanged)

// isOrderedBy reports whether an order has the goods of the session. Those without a price come and go
// without changing the total.
func (s *State) isOrderedBy(o *sales.Order) bool {
	units := map[[2]string]int64{} // by line and item
	for _, l := range o.Lines {
		if !l.Gift {
			units[[2]string{lineID(l.Product, l.Key), ItemID(l.Product, l.Variant)}] = l.Quantity
		}
	}
	for _, l := range s.Lines {
		if !l.Gift && units[[2]string{l.ID, l.ItemID}] != l.Quantity {
			return false
		}
	}
	return true
}

// unpaid ends an attempt whose money was not reserved.
func (a *Assist) unpaid(ctx context.Context, c *Caller, v view, st *State, err error) (*State, error) {
	mine, failed := a.reopen(ctx, c, st)
	if failed != nil {
		return nil, errors.Join(failed, err)
	}
	if !mine {
		return nil, ErrBusy
	}
	var declined *pay.Decline
	switch {
	case errors.As(err, &declined):
		text := declined.Reason
		if text == "" {
			text = "The payment was declined."
		}
		st.refuse(Problem{Code: PaymentFailed, Field: "payment", Line: -1, Text: text})
	case errors.Is(err, pay.ErrActionRequired):
		st.refuse(Problem{Code: Requires3DS, Field: "payment", Line: -1, Text: "The buyer has to confirm the payment on the shop's page.", Severity: BuyerInput})
	case errors.Is(err, pay.ErrUndecided):
		c.LogPartialFailure(err)
		return nil, ErrUndecided
	default:
		return nil, err
	}
	st.State = assist.Open
	st.ContinueURL = a.link(v, st.Session.ID)
	return st, nil
}

// unplaced ends an attempt whose order was refused.
func (a *Assist) unplaced(ctx context.Context, c *Caller, st *State, charge sales.Charge, err error) (*State, error) {
	if store.IsUnavailable(err) { // the order may exist: the session stays as it is until this is known
		return nil, err
	}
	if charge.Ref != "" {
		if failed := a.Cards.Void(context.WithoutCancel(ctx), c.Shop, charge); failed != nil {
			c.LogPartialFailure(failed)
		}
		if _, failed := a.reopen(ctx, c, st); failed != nil {
			return nil, errors.Join(failed, err)
		}
	}
	refused, ok := shop.AsRefusal(err)
	if !ok || refused.Status() >= 500 || errors.Is(err, ErrBarred) {
		return nil, err
	}
	now, gone := a.repriced(ctx, c, st.Session.ID)
	if gone != nil || len(now.Problems) > 0 && now.Problems[0].Code != PriceChanged {
		return now, gone // it says better than the refusal what is wrong
	}
	if !totalChanged[refused.Code] {
		now.Problems = nil
		now.refuse(Problem{Code: refused.Code, Field: "items", Line: -1, Text: refused.Message()})
	}
	return now, nil
}

// reopen gives the right to place the order back, unless another call has taken it over meanwhile.
func (a *Assist) reopen(ctx context.Context, c *Caller, st *State) (mine bool, err error) {
	err = a.Store.Write(context.WithoutCancel(ctx), c.Shop, func(tx *store.Tx) error {
		mine, err = assist.Reopen(ctx, tx, st.Session, a.Now().UTC())
		return err
	})
	return mine, err
}

// repriced returns a session whose total has changed since the platform saw it, with the new total.
func (a *Assist) repriced(ctx context.Context, c *Caller, id string) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, c, v, id, assist.Checkout)
	if err != nil {
		return nil, err
	}
	s.ShownTotal = -1 // the cart may differ although the total does not
	st, err := a.show(ctx, c, v, s)
	if err == nil && len(st.Problems) == 0 && !st.Ended() {
		st.refuse(Problem{Code: PriceChanged, Field: "total", Line: -1, Text: "The total has changed. Nothing was ordered."})
	}
	return st, err
}
