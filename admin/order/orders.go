// Package order is what buyers ordered (document 2, 2.2, 3 and 4): a cart becomes
// an order by Place, an order is moved by Move, and both keep the stock exact.
//
// An order is what was agreed. Its sums and lines are written once; what changes
// is where it stands, what was said about it and whether it was paid. Buyers see
// their own orders, sellers those of their shop.
//
// The package takes no money (admin/payment does), and its letters are written by the
// store together with what they tell.
package order

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
	"vitrine/internal/store/sales"
)

// Config is what orders stand on.
type Config struct {
	Store *store.Store
	Sites *load.Sites // where products stand
	Now   func() time.Time

	// Takes reports whether a shop takes money by a method.
	Takes func(ctx context.Context, company shop.CompanyID, method string) (bool, error)

	// Refund gives the money of a payment of an order back, that of no id the usual one's.
	Refund func(ctx context.Context, company shop.CompanyID, order shop.OrderID, payment shop.PaymentID, by shop.UserID) error
}

// Orders answers the endpoints of this package.
type Orders struct{ Config }

// New makes the slice.
func New(cfg Config) *Orders { return &Orders{cfg} }

const (
	readsOrders  shop.Scope = "orders:read"
	writesOrders shop.Scope = "orders:write"
)

// Endpoints is the table of this slice.
func (os *Orders) Endpoints() []api.Endpoint {
	reads, writes := []shop.Scope{readsOrders}, []shop.Scope{writesOrders}
	one := api.Refuses(sales.ErrOrderNotFound, sales.ErrOrderDenied)
	move := one.And(ErrInvalidStatus, ErrStatusChanged, catalog.ErrOutOfStock, sales.ErrPromoCodeExhausted, sales.ErrCampaignBudgetSpent)
	confirm := api.Refuses(
		ErrContactRequired, ErrContactInvalid, ErrCartEmpty, ErrShopUnavailable, ErrOrderTooLarge, ErrPriceChanged, ErrAddressRequired,
		sales.ErrDeliveryNotFound, catalog.ErrOutOfStock, store.ErrShopNotFound, errAddress, api.ErrDenied,
		sales.ErrPromoCodeExhausted, sales.ErrCampaignBudgetSpent, ErrMethodInactive)
	messages := api.Refuses(sales.ErrOrderNotFound, errMessage)
	return []api.Endpoint{
		{Method: "POST", Path: "/cart/confirm", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: confirm, Do: api.Handle(os.confirm),
			Summary: "Turn the buyer's cart into an order"},
		{Method: "POST", Path: "/orders", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(sales.ErrOrderDenied, ErrInvalidStatus), Do: api.Handle(os.list),
			Summary: "List orders: a shop's for its sellers, else those that the person made"},
		{Method: "GET", Path: "/orders/export", Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"}, Errors: api.Refuses(sales.ErrOrderDenied, errExportLarge, ErrInvalidStatus), Do: api.Handle(os.export),
			Summary: "The shop's orders as CSV, oldest first"},
		{Method: "GET", Path: "/orders/{id}", OrderLink: true, Auth: api.Person, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(os.read),
			Summary: "One order with its lines"},
		{Method: "PUT", Path: "/orders/{id}/status", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: move, Do: api.Handle(os.move),
			Summary: "Move an order; cancelling returns its units, reopening takes them again"},
		{Method: "POST", Path: "/orders/{id}/refund", Auth: api.Person, Contour: api.RefusesDraft, Scopes: writes, Class: api.Write, Errors: one.And(sales.ErrOrderNotPaid, sales.ErrPaymentNotFound, errFullOnly), Do: api.Handle(os.refund),
			Summary: "Give the money of a payment back in full: refunding until its provider has answered, at once where nobody holds it; the same call again is the retry"},
		{Method: "GET", Path: "/orders/{id}/history", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: one, Do: api.Handle(os.history),
			Summary: "Who moved an order when, payments and refunds included"},
		{Method: "POST", Path: "/orders/{id}/payment/confirm", Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Write, Errors: one, Do: api.Handle(os.confirmPayment),
			Summary: "The seller's word that an order was paid"},
		{Method: "GET", Path: "/orders/{id}/messages", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: messages, Do: api.Handle(os.messages),
			Summary: "What buyer and seller wrote about an order, oldest first"},
		{Method: "POST", Path: "/orders/{id}/messages", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: messages.And(media.ErrFileNotFound), Do: api.Handle(os.write),
			Summary: "Write to the other side of an order"},
		{Method: "POST", Path: "/orders/{id}/messages/seen", OrderLink: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: messages, Do: api.Handle(os.seen),
			Summary: "Note that all messages were seen"},
	}
}

// side is who somebody is to an order.
type side uint8

const (
	stranger side = iota
	buyer
	seller
)

// sideOf is who the caller is to an order. A shop's people are its sellers, with
// the scope; a session of a storefront is a buyer whoever it is.
func sideOf(c *api.Call, o sales.Order, need shop.Scope) side {
	switch {
	case c.Company == o.Company && c.Role.Known() && (need == "" || c.Has(need)):
		return seller
	case !c.ByKey() && c.Person == o.Person && (c.Storefront == 0 || c.Storefront == o.Company):
		return buyer
	}
	return stranger
}

type orderPath struct {
	ID shop.OrderID `path:"id" json:"-"`
}

// linkedPath is an order that a link of a letter opens too.
type linkedPath struct {
	orderPath
	api.OrderLink
}

// linked is order for a call that may come by the link of a letter: whoever has it acts as the buyer.
func (os *Orders) linked(ctx context.Context, c *api.Call, in linkedPath, need shop.Scope) (sales.Order, side, error) {
	o, who, err := os.order(ctx, c, in.ID, need)
	if err == nil && who != stranger || err != nil && !errors.Is(err, sales.ErrOrderNotFound) && !errors.Is(err, sales.ErrOrderDenied) {
		return o, who, err
	}
	opened, found, failed := c.Linked(ctx, in.ID, in.OrderLink)
	switch {
	case failed != nil:
		return o, stranger, failed
	case found:
		return opened, buyer, nil
	case c.Anonymous():
		return o, stranger, sales.ErrOrderNotFound
	}
	return o, who, err
}

// order reads an order for the caller, who is a stranger, a buyer or a seller.
func (os *Orders) order(ctx context.Context, c *api.Call, id shop.OrderID, need shop.Scope) (sales.Order, side, error) {
	if c.Company != 0 { // the shop's own people
		o, err := sales.GetOrder(ctx, os.Store.Shop(c.Company), id)
		if who := sideOf(c, o, need); err == nil && who != stranger {
			return o, who, nil
		}
		if err != nil && !errors.Is(err, sales.ErrOrderNotFound) {
			return o, stranger, err
		}
	}
	company, err := sales.OrderOf(ctx, os.Store, c.Person, id)
	if err != nil {
		return sales.Order{}, stranger, err
	}
	o, err := sales.GetOrder(ctx, os.Store.Shop(company), id)
	return o, sideOf(c, o, need), err
}

// owned is an order of the caller's shop, for its sellers alone.
func (os *Orders) owned(ctx context.Context, c *api.Call, id shop.OrderID) (sales.Order, error) {
	o, who, err := os.order(ctx, c, id, writesOrders)
	if err == nil && who != seller {
		err = sales.ErrOrderDenied
	}
	return o, err
}

func (os *Orders) read(ctx context.Context, c *api.Call, in linkedPath) (out api.Result[orderView], err error) {
	o, who, err := os.linked(ctx, c, in, readsOrders)
	if err != nil {
		return out, err
	}
	if who == stranger {
		return out, sales.ErrOrderDenied
	}
	return os.wrap(ctx, o, who)
}

type statusRequest struct {
	orderPath
	Status   shop.OrderStatus `json:"status"`
	Expected shop.OrderStatus `json:"expected_status"`
}

func (os *Orders) move(ctx context.Context, c *api.Call, in statusRequest) (out api.Result[orderView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	o, err = Move(ctx, os.Store, o.Company, o.ID, c.Person, Status{To: in.Status, Expected: in.Expected})
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

type refundRequest struct {
	orderPath
	Payment shop.PaymentID  `json:"payment_id" doc:"which payment; without it the first that a provider holds, else the one confirmed by hand"`
	Amount  json.RawMessage `json:"amount" doc:"refused: a refund is whole"`
}

// errFullOnly refuses a refund of a part (document 2: the refund marker is one full amount).
var errFullOnly = shop.Refuse(shop.InvalidArgument, "REFUND_FULL_ONLY").When("the body names an amount: a refund is whole")

func (os *Orders) refund(ctx context.Context, c *api.Call, in refundRequest) (out api.Result[orderView], err error) {
	if len(in.Amount) > 0 && string(in.Amount) != "null" {
		return out, errFullOnly.At("amount").With("leave it out")
	}
	o, err := os.owned(ctx, c, in.ID)
	if err == nil {
		err = os.Refund(ctx, o.Company, o.ID, in.Payment, c.Person)
	}
	if err != nil {
		return out, err
	}
	if o, err = sales.GetOrder(ctx, os.Store.Shop(o.Company), o.ID); err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

func (os *Orders) confirmPayment(ctx context.Context, c *api.Call, in orderPath) (out api.Result[orderView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, in.ID); err != nil {
			return err
		}
		info, err := company.Info(ctx, tx.Reader)
		if err != nil {
			return err
		}
		return sales.ConfirmPayment(ctx, tx, o, shop.Minor(o.GrandTotal, o.Currency, info.PriceDigits), c.Person)
	})
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, seller)
}

type historyView struct {
	Kind      string      `json:"kind"`
	Body      any         `json:"body"`
	ActorID   shop.UserID `json:"actor_id"`
	CreatedAt time.Time   `json:"created_at"`
}

func (os *Orders) history(ctx context.Context, c *api.Call, in orderPath) (out api.Result[[]historyView], err error) {
	o, who, err := os.order(ctx, c, in.ID, readsOrders)
	if err != nil {
		return out, err
	}
	if who == stranger {
		return out, sales.ErrOrderDenied
	}
	list, err := sales.OrderHistory(ctx, os.Store.Shop(o.Company), o.ID)
	out.Result = []historyView{}
	for _, e := range list {
		out.Result = append(out.Result, historyView{e.Kind, e.Body, e.Actor, e.CreatedAt.UTC()})
	}
	return out, err
}
