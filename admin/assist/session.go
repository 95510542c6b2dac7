package assist

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

// Refusals of sessions.
var (
	ErrNotFound = assist.ErrSessionNotFound
	// ErrEnded refuses a change of a session that has ended.
	ErrEnded = shop.Refuse(shop.FailedPrecondition, "SESSION_ENDED").When("the session is completed, canceled or expired").WithStatus(409)
	// ErrNothingToBuy refuses a session of which no item can be bought.
	ErrNothingToBuy = shop.Refuse(shop.FailedPrecondition, "ITEM_UNAVAILABLE").When("none of the items can be bought")
	// ErrSignature refuses an unsigned call about a session that was begun with a signature.
	ErrSignature = shop.Refuse(shop.Unauthenticated, "SIGNATURE_REQUIRED").When("the session was created by a signed request")
	// ErrTooManyCodes refuses codes after too many wrong ones.
	ErrTooManyCodes = shop.ErrRateLimited.With("at most 30 wrong codes per minute")
)

// Create creates a session. A checkout of a cart has the cart's items, buyer and codes; while one is
// open, it is returned instead.
func (a *Assist) Create(ctx context.Context, c *Caller, kind assist.Kind, in Input, cart string) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	now := a.Now().UTC()
	s := assist.Session{Kind: kind, CartID: cart, Buyer: c.Linked, Signed: c.Signed, State: assist.Open, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(checkoutLife)}
	if kind == assist.Cart {
		s.ExpiresAt = now.Add(cartLife)
	}
	if cart != "" {
		open, found, err := assist.OpenCheckoutOf(ctx, v.reader, c.Platform.ID, cart, now)
		if err != nil {
			return nil, err
		}
		if found {
			if err := a.admit(c, &open, assist.Checkout); err != nil {
				return nil, err
			}
			return a.show(ctx, c, v, open)
		}
		from, err := a.session(ctx, c, v, cart, assist.Cart)
		if err != nil {
			return nil, err
		}
		var was Input
		if err := json.Unmarshal(from.Input, &was); err != nil {
			return nil, err
		}
		in.Items, in.Contact, in.Near, in.Codes = was.Items, was.Contact, was.Near, was.Codes
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	st, settle, err := a.fillNew(ctx, c, v, s, in, nil)
	if err != nil {
		return nil, err
	}
	if len(st.Lines) == 0 && len(in.Items) > 0 {
		return nil, settle(ErrNothingToBuy)
	}
	st.Session.ID, st.ShownTotal = strings.ToLower(rand.Text()), st.Total
	err = a.Store.Write(ctx, c.Shop, func(tx *store.Tx) error {
		if c.Platform.ID == 0 {
			if c.Platform, err = assist.EnsureProfile(ctx, tx, c.Platform.Name, c.Platform.WebhookURL); err != nil {
				return err
			}
		}
		st.Platform = c.Platform.ID
		if st.Person, err = people.AddPerson(ctx, tx, "", "", people.NoPassword); err != nil {
			return err
		}
		if st.Session.Input, err = json.Marshal(in); err != nil {
			return err
		}
		if err := st.store(ctx, tx); err != nil {
			return err
		}
		return assist.Create(ctx, tx, st.Session)
	})
	if err == nil && kind == assist.Checkout {
		st.ContinueURL = a.link(v, st.Session.ID)
	}
	return st, settle(err)
}

// store writes the lines and the code of a session to the cart of its guest.
func (s *State) store(ctx context.Context, tx *store.Tx) error {
	content := sales.CartContent{Code: s.code()}
	for _, l := range s.Lines {
		if !l.Gift {
			_, key, _ := strings.Cut(l.ID, ":")
			content.Lines = append(content.Lines, sales.CartLine{Product: l.Product, Key: key, Quantity: l.Quantity})
		}
	}
	if s.Marketing { // only then the shop may remind of the cart
		content.Reminder = s.Contact.Email
	}
	return sales.ReplaceCart(ctx, tx, s.Person, content)
}

// session reads a session of the caller. One that expired or was canceled as a cart is gone.
func (a *Assist) session(ctx context.Context, c *Caller, v view, id string, kind assist.Kind) (assist.Session, error) {
	s := c.session // which is used once: later in the call it is read again
	if c.session = (assist.Session{}); s.ID == "" || s.ID != id {
		var err error
		if s, err = assist.Get(ctx, v.reader, c.Platform.ID, id); err != nil {
			return s, err
		}
	}
	return s, a.admit(c, &s, kind)
}

// admit checks that a call may be about a session. One of a linked buyer needs their token in each call,
// so it ends with the link. One of a guest becomes that of the buyer for whom a call is made.
func (a *Assist) admit(c *Caller, s *assist.Session, kind assist.Kind) error {
	switch {
	case s.Kind != kind, kind == assist.Cart && (s.State != assist.Open || expired(*s, a.Now())):
		return ErrNotFound
	case s.Signed && !c.Signed:
		return ErrSignature
	case s.Buyer != 0 && c.Linked == 0:
		return people.ErrIdentity
	case s.Buyer != 0 && s.Buyer != c.Linked:
		return ErrNotFound
	}
	s.Buyer = c.Linked
	return nil
}

// Get returns a session. The platform has then been shown its present total.
func (a *Assist) Get(ctx context.Context, c *Caller, kind assist.Kind, id string) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, c, v, id, kind)
	if err != nil {
		return nil, err
	}
	return a.show(ctx, c, v, s)
}

// show prices a stored session, and remembers the total that the platform sees.
func (a *Assist) show(ctx context.Context, c *Caller, v view, s assist.Session) (*State, error) {
	var in Input
	if err := json.Unmarshal(s.Input, &in); err != nil {
		return nil, err
	}
	if s.State == assist.Completed {
		return a.ordered(ctx, v, s, in)
	}
	st, err := a.fill(ctx, v, s, in)
	if err != nil || st.Total == s.ShownTotal {
		return st, err
	}
	return st, a.keep(ctx, c, st)
}

// keep remembers the total that the platform sees, and makes the cart that is ordered what it sees: goods
// and codes come and go without a call of the platform.
func (a *Assist) keep(ctx context.Context, c *Caller, st *State) error {
	if st.Ended() || st.State != assist.Open {
		return nil
	}
	return a.Store.Write(ctx, c.Shop, func(tx *store.Tx) error {
		shown, err := assist.Show(ctx, tx, st.Session, st.Total)
		if err != nil || !shown {
			return err // a faster call has stored what it saw
		}
		return st.store(ctx, tx)
	})
}

// Replace replaces what the platform said about a session. edit returns the new input, from the one
// before.
func (a *Assist) Replace(ctx context.Context, c *Caller, kind assist.Kind, id string, edit func(was Input) (Input, error)) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	for range maxAttempts {
		st, err := a.replace(ctx, c, v, kind, id, edit)
		if !errors.Is(err, errOvertaken) {
			return st, err
		}
	}
	return nil, ErrBusy
}

// maxAttempts is how often a change is made again because another one was faster.
const maxAttempts = 5

var errOvertaken = errors.New("assist: the session was changed meanwhile")

// ErrBusy refuses a change that others overtook again and again, or that comes while the order is
// placed.
var ErrBusy = shop.Refuse(shop.Aborted, "SESSION_BUSY").When("another call changes the session").RetryAfter(1)

func (a *Assist) replace(ctx context.Context, c *Caller, v view, kind assist.Kind, id string, edit func(was Input) (Input, error)) (*State, error) {
	s, err := a.session(ctx, c, v, id, kind)
	if err != nil {
		return nil, err
	}
	var was Input
	if err := json.Unmarshal(s.Input, &was); err != nil {
		return nil, err
	}
	switch {
	case s.State == assist.Completing:
		return nil, ErrBusy
	case s.State == assist.Completed, s.State == assist.Canceled, expired(s, a.Now()):
		return nil, ErrEnded
	case s.State == assist.HandedOff:
		st, err := a.fill(ctx, v, s, was)
		if err == nil {
			st.Notices = append(st.Notices, Problem{Code: HandedOff, Line: -1, Text: "The buyer has opened the checkout in a browser. Nothing was changed."})
		}
		return st, err
	}
	in, err := edit(was)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return nil, err
	}
	st, settle, err := a.fillNew(ctx, c, v, s, in, was.Codes)
	if err != nil {
		return nil, err
	}
	st.ShownTotal, st.UpdatedAt = st.Total, a.Now().UTC()
	if st.Session.Input, err = json.Marshal(in); err != nil {
		return nil, err
	}
	return st, settle(a.Store.Write(ctx, c.Shop, func(tx *store.Tx) error {
		saved, err := assist.Save(ctx, tx, s, st.Session)
		switch {
		case err != nil:
			return err
		case !saved:
			return errOvertaken
		}
		return st.store(ctx, tx)
	}))
}

// fillNew prices a session with a new input. Codes that it did not have before count as attempts to
// find one.
func (a *Assist) fillNew(ctx context.Context, c *Caller, v view, s assist.Session, in Input, had []string) (*State, func(error) error, error) {
	nothing := func(err error) error { return err }
	fresh := map[string]bool{}
	for _, code := range in.Codes {
		if code = price.CleanCode(code); code != "" && !slices.ContainsFunc(had, func(h string) bool { return price.CleanCode(h) == code }) {
			fresh[code] = true
		}
	}
	if len(fresh) > 0 {
		wait, back, err := a.Guess(ctx, c.Call, len(fresh))
		if err != nil {
			return nil, nothing, err
		}
		if wait > 0 {
			return nil, nothing, ErrTooManyCodes.RetryAfter(budget.Seconds(wait))
		}
		st, err := a.fill(ctx, v, s, in)
		if err != nil {
			return nil, nothing, errors.Join(err, back(ctx, 0))
		}
		wrong := 0
		for _, r := range st.Codes {
			if r.Refused == price.NotFound && fresh[price.CleanCode(r.Code)] {
				wrong++
			}
		}
		return st, func(err error) error {
			if settled := back(ctx, wrong); err == nil {
				return settled
			}
			return err
		}, nil
	}
	st, err := a.fill(ctx, v, s, in)
	return st, nothing, err
}

// Cancel cancels a session that is open. It returns the session as it was.
func (a *Assist) Cancel(ctx context.Context, c *Caller, kind assist.Kind, id string) (*State, error) {
	v, err := a.see(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := a.session(ctx, c, v, id, kind)
	if err != nil {
		return nil, err
	}
	if expired(s, a.Now()) {
		return nil, ErrEnded
	}
	var moved bool
	err = a.Store.Write(ctx, c.Shop, func(tx *store.Tx) error {
		moved, err = assist.Move(ctx, tx, id, assist.Canceled, a.Now().UTC(), assist.Open, assist.HandedOff)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !moved:
		return nil, ErrEnded
	}
	s.State = assist.Canceled
	return a.show(ctx, c, v, s)
}

// link returns the address that opens a session in the shop's checkout. It is signed, so that only
// those whom the platform gave it can open it.
func (a *Assist) link(v view, id string) string {
	return a.URLs.Storefront(v.Company) + "/checkout?session=" + id + "." + api.LinkMAC(a.Sealer, v.Company.ID, linkOf(id))
}

func linkOf(id string) func(shop.CompanyID) string {
	return func(company shop.CompanyID) string { return fmt.Sprintf("assist %d %s", company, id) }
}

// ordered returns a completed session: what the order says.
func (a *Assist) ordered(ctx context.Context, v view, s assist.Session, in Input) (*State, error) {
	o, err := sales.GetOrder(ctx, a.Store.Shop(v.Company.ID), s.Order)
	if err != nil {
		return nil, err
	}
	return a.asOrdered(v.Company, o, s, in)
}

// asOrdered returns a session as its order says it.
func (a *Assist) asOrdered(company companydb.Company, o sales.Order, s assist.Session, in Input) (*State, error) {
	st := &State{Session: s, Input: in, Currency: o.Currency, Digits: company.PriceDigits, Total: o.GrandTotal, Taxes: o.Taxes, Order: &o}
	st.OrderURL = a.URLs.Storefront(company) + "/orders/" + o.ID.String() + "?key=" + api.OrderKey(a.Sealer, company.ID, o.ID)
	for _, l := range o.Lines {
		line := Line{
			ID: lineID(l.Product, l.Key), ItemID: ItemID(l.Product, l.Variant), Product: l.Product, Title: l.Name, Image: l.Image, Quantity: l.Quantity, Gift: l.Gift, Path: l.URL,
		}
		if !l.Gift {
			line.Base = max(l.Base, l.Unit)
			line.Before, line.After = line.Base*l.Quantity, l.Unit*l.Quantity
			st.Subtotal += line.Before
		}
		st.Lines = append(st.Lines, line)
	}
	var applied []struct {
		Name   string `json:"name"`
		Kind   string `json:"kind"`
		Code   string `json:"code"`
		Amount int64  `json:"amount"`
	}
	if len(o.Promotions) > 0 {
		if err := json.Unmarshal(o.Promotions, &applied); err != nil {
			return nil, err
		}
	}
	for _, p := range applied {
		d := Discount{Title: p.Name, Code: p.Code, Amount: p.Amount}
		if p.Kind == string(price.KindDiscount) || p.Kind == string(price.KindQuantity) {
			continue // the lines have it
		}
		st.Applied = append(st.Applied, d)
	}
	for _, code := range in.Codes {
		r := CodeResult{Code: code, Refused: price.NotApplicable}
		if slices.ContainsFunc(st.Applied, func(d Discount) bool { return d.Code != "" && d.Code == price.CleanCode(code) }) {
			r.Refused = ""
		}
		st.Codes = append(st.Codes, r)
	}
	var goods, taxes int64
	for _, l := range st.Lines {
		goods += l.After
	}
	for _, d := range st.Applied {
		goods -= d.Amount
	}
	if d := o.Delivery; d != nil {
		st.Delivery = &Delivery{Possible: price.Possible{ID: d.ID, Name: d.Name, Kind: d.Kind, Price: d.Price, Days: d.Days}, Total: o.GrandTotal}
		if d.Point != nil {
			st.Delivery.Points = []shop.DeliveryPoint{*d.Point}
		}
		st.Deliveries = []Delivery{*st.Delivery}
		goods += d.Price
	}
	for _, t := range o.Taxes {
		taxes += t.Amount
	}
	st.Included = taxes > 0 && goods == o.GrandTotal
	return st, nil
}

// OrderLabel is how people name an order.
func OrderLabel(o *sales.Order) string { return strconv.FormatInt(o.Number, 10) }
